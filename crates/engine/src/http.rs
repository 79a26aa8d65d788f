//! What every client of a foreign HTTP service has in common here.

use reqwest::{ClientBuilder, redirect};

/// A client that is told its cryptography.
///
/// It follows no redirect, which could carry a key elsewhere, names no referrer, sends nothing twice
/// and uses no proxy that the environment names: where things go is what the settings say.
pub(crate) fn client_builder() -> ClientBuilder {
    // Another part of the process may have chosen already, which is as good.
    drop(rustls::crypto::ring::default_provider().install_default());
    reqwest::Client::builder()
        .user_agent(concat!("afterword/", env!("CARGO_PKG_VERSION")))
        .redirect(redirect::Policy::none())
        .referer(false)
        .retry(reqwest::retry::never())
        .no_proxy()
}
