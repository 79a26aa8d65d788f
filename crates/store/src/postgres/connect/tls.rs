//! Encryption of the way to the server, by rustls.

use std::fs::File;
use std::io;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt as _;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_rustls::TlsConnector;

use crate::{Error, Result};

/// Makes encrypted connections, trusting the system's certificates or those of one file.
#[derive(Clone)]
pub(super) struct Tls(Arc<ClientConfig>);

impl Tls {
    /// What is trusted is read now; a file that cannot be used is an error.
    pub(super) fn new(root_certificates: Option<&Path>) -> Result<Self> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| Error::Setup(error.to_string()))?;
        let config = match root_certificates {
            Some(path) => builder.with_root_certificates(read(path)?),
            None => builder
                .with_platform_verifier()
                .map_err(|error| Error::Setup(format!("no certificates to trust: {error}")))?,
        };
        Ok(Self(Arc::new(config.with_no_client_auth())))
    }
}

fn read(path: &Path) -> Result<RootCertStore> {
    let refused = |why: String| {
        let path = path.display();
        Error::Setup(format!("the certificates in {path} (sslrootcert) cannot be used: {why}"))
    };
    let file = File::open(path).map_err(|error| refused(error.to_string()))?;
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_reader_iter(file) {
        let certificate = certificate.map_err(|error| refused(error.to_string()))?;
        roots.add(certificate).map_err(|error| refused(error.to_string()))?;
    }
    if roots.is_empty() {
        return Err(refused("there are none in it".to_owned()));
    }
    Ok(roots)
}

impl<S> MakeTlsConnect<S> for Tls
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    type Stream = Encrypted<S>;
    type TlsConnect = Connect;
    type Error = std::convert::Infallible;

    fn make_tls_connect(&mut self, host: &str) -> std::result::Result<Connect, Self::Error> {
        // A socket in the file system has no name; nobody asks for encryption there.
        let name = ServerName::try_from(host).ok().map(|name| name.to_owned());
        Ok(Connect { connector: TlsConnector::from(Arc::clone(&self.0)), name })
    }
}

/// One connection on its way.
pub(super) struct Connect {
    connector: TlsConnector,
    name: Option<ServerName<'static>>,
}

impl<S> TlsConnect<S> for Connect
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    type Stream = Encrypted<S>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Encrypted<S>>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        Box::pin(async move {
            let unnamed = || io::Error::other("the host has no name that a certificate could have");
            let name = self.name.ok_or_else(unnamed)?;
            self.connector.connect(name, stream).await.map(Encrypted)
        })
    }
}

/// The stream of an encrypted connection.
pub(super) struct Encrypted<S>(tokio_rustls::client::TlsStream<S>);

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for Encrypted<S> {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Encrypted<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, into)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Encrypted<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}
