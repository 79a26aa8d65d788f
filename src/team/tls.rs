//! Encryption of the server's connections, by rustls.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

/// What encrypts with the certificates and the key in these files, which are read now.
///
/// # Errors
///
/// A file that cannot be read or holds nothing of the kind, or a key that is another one's.
pub(super) fn acceptor(certificates: &Path, key: &Path) -> anyhow::Result<TlsAcceptor> {
    let shown = certificates.display();
    let chain: Vec<_> = CertificateDer::pem_file_iter(certificates)
        .and_then(Iterator::collect)
        .with_context(|| format!("the certificates in {shown} cannot be read"))?;
    if chain.is_empty() {
        bail!("{shown} holds no certificate: it takes PEM, the server's own certificate first");
    }
    let key_shown = key.display();
    let key = PrivateKeyDer::from_pem_file(key)
        .with_context(|| format!("the private key in {key_shown} cannot be read as PEM"))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .with_context(|| {
            format!("the key in {key_shown} and the certificates in {shown} do not go together")
        })?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}
