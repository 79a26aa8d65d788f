//! Foreign text made safe to stand in what a model reads.
//!
//! Everything that is said about earlier work came from somewhere else: a tool's output, a web
//! page, a file. [`quote`] makes it one line that cannot open or close an element, start a heading or
//! a fence, or hide characters, in whatever Unicode form it is read; [`quote_block`] keeps the lines
//! of a text that is shown whole.

mod block;
mod line;
mod signs;

pub use block::quote_block;
pub use line::{quote, quote_attribute};
