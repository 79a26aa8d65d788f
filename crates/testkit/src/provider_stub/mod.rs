//! Providers of language models on loopback, as good or as hostile as a test wants them.
//!
//! One server speaks Anthropic Messages (whole and streamed), chat completions and Gemini's
//! `generateContent`; the path decides. What it answers is a queue of [`Reply`]s, then one for ever.
//! Every byte that comes is kept.

mod dialect;
mod reply;
mod server;

pub use reply::{Reply, Tokens};
pub use server::{Heard, ProviderStub};
