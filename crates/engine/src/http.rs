//! What every client of a foreign HTTP service has in common here.

use reqwest::{ClientBuilder, redirect};

/// A client that is told its cryptography and follows no redirect, which could carry a key elsewhere.
pub(crate) fn client_builder() -> ClientBuilder {
    // Another part of the process may have chosen already, which is as good.
    drop(rustls::crypto::ring::default_provider().install_default());
    reqwest::Client::builder().redirect(redirect::Policy::none())
}
