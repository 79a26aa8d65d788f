//! `afterword serve`

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use serde_json::json;

use super::database_url;
use crate::cli::Tools;
use crate::team::{self, Announcement, Options};

/// Serve memories to a team, on PostgreSQL
#[derive(Debug, Args)]
pub(in crate::cli) struct ServeArguments {
    /// The database; `AFTERWORD_DATABASE_URL` unless given
    #[arg(long, value_name = "URL")]
    database_url: Option<String>,
    /// Where to listen; port 0 is any
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: Option<String>,
    /// Certificates in PEM, the server's own first
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// The private key in PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// A proxy, or a network of proxies, whose `X-Forwarded-For` is believed
    #[arg(long, value_name = "ADDRESS|NETWORK")]
    trusted_proxy: Vec<String>,
    /// A name that the server answers to; any unless given
    #[arg(long, value_name = "NAME")]
    host: Vec<String>,
}

/// Serves until the system asks the process to end. The log goes to standard error.
pub(in crate::cli) fn serve(tools: &Tools, arguments: &ServeArguments) -> anyhow::Result<ExitCode> {
    let options = Options {
        database_url: database_url(tools, arguments.database_url.as_deref())?,
        listen: arguments.listen.clone(),
        tls: arguments.tls_cert.clone().zip(arguments.tls_key.clone()),
        trusted_proxies: arguments.trusted_proxy.clone(),
        hosts: arguments.host.clone(),
    };
    let mut announce = |announcement| tell(tools, announcement);
    team::run(&tools.config, Arc::clone(&tools.clock), &options, &mut announce)?;
    Ok(ExitCode::SUCCESS)
}

/// A line, or a line of JSON, at once: whoever started the server waits for it.
fn tell(tools: &Tools, announcement: Announcement) {
    let line = match announcement {
        Announcement::FirstToken { organisation, member, id, token } if tools.out.json => {
            json!({ "organisation": organisation, "member": member, "id": id, "token": token })
                .to_string()
        }
        Announcement::FirstToken { organisation, member, token, .. } => format!(
            "The database is new. This token is shown once; {member} of the organisation \
             {organisation} may do everything with it:\n\n    {token}\n"
        ),
        Announcement::Listening { address, tls } => {
            let url = format!("{}://{address}", if tls { "https" } else { "http" });
            if tools.out.json {
                json!({ "listening": url }).to_string()
            } else {
                format!("listening on {url}")
            }
        }
    };
    // Nobody reading is no reason not to serve.
    drop(tools.out.follow(&line));
}
