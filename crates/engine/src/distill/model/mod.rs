//! Distilling with a language model: what is asked of it, and what is made of its answer.
//!
//! [`budget`] is asked before anything is sent.

pub mod budget;
