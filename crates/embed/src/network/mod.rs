//! The network itself: one pass over the tokens of some texts, layer by layer.
//!
//! `matrix` multiplies with weights of four bits, `attention` lets the tokens of a text see each
//! other, and `pass` puts them together.

mod attention;
mod matrix;
mod pass;

pub(crate) use attention::HEAD;
pub(crate) use pass::Network;
