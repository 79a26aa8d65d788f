//! Tools that the model itself calls, over the Model Context Protocol.
//!
//! [`run`] serves them on standard input and output, [`run_http`] over HTTP. [`tools`] says what there is and when to use
//! which, [`parameters`] what each takes, [`door`] asks the daemon, [`answer`] writes what the model
//! reads, and [`quote`] keeps remembered text from being read as anything but text.
//!
//! What a tool cannot do is a tool error with a hint, so that the model can mend its call; protocol
//! errors are for calls that do not fit the schema.

mod answer;
mod door;
mod http;
mod parameters;
mod quote;
mod serve;
mod tools;

pub use door::Setup;
pub use http::run_http;
pub use serve::run;
