//! Tools that the model itself calls, over the Model Context Protocol.
//!
//! [`run`] serves them on standard input and output, [`run_http`] over HTTP. [`tools`] says what there is and when to use
//! which, [`parameters`] what each takes, [`door`] asks the daemon, and [`answer`] writes what the
//! model reads, with all remembered text quoted.
//!
//! What a tool cannot do is a tool error with a hint, so that the model can mend its call; protocol
//! errors are for calls that do not fit the schema.

mod answer;
mod asked;
mod door;
mod http;
mod parameters;
mod schema;
mod serve;
mod structured;
mod tools;

pub use door::Setup;
pub use http::run_http;
pub use serve::run;
