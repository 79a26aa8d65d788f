//! The remote service: whether it answers, takes the token, and whether that token stays here.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::check::Check;
use crate::cli::output::visible;
use crate::cli::{Tools, project};
use crate::client::remote::{RemoteDoor, is_loopback};
use crate::config::remote::Remote;
use crate::hook::remote::{outbox, service_of, untrusted};

/// How long the service may take for one answer.
const ANSWER: Duration = Duration::from_secs(10);

/// The service of the current folder's project; none where none is configured.
pub(super) fn here(tools: &Tools) -> Option<Remote> {
    let here = project::here(tools, None).unwrap_or_default();
    let folder = std::env::current_dir().unwrap_or_default();
    service_of(&tools.config, &here, &folder).map(|(remote, _)| remote)
}

/// Whether the service is the only memory here.
pub(super) fn is_alone(tools: &Tools) -> bool {
    !tools.config.file.remote.local && here(tools).is_some()
}

/// Everything that can be said of the service.
pub(super) fn remote(tools: &Tools) -> Vec<Check> {
    let Some(remote) = here(tools) else { return refused(tools).into_iter().collect() };
    let root = project::here(tools, None).ok().and_then(|here| here.root);
    let mut checks = vec![answers(&remote), secure(&remote), waiting(tools)];
    if let Some(root) = root {
        checks.extend(token_file(&remote, Path::new(&root)));
        if !tools.config.file.remote.trusts(&remote.url) {
            checks.extend(address_of_project(&remote, Path::new(&root)));
        }
    }
    checks
}

/// A service that is named by a file which came with the project.
fn refused(tools: &Tools) -> Option<Check> {
    let here = project::here(tools, None).unwrap_or_default();
    let folder = std::env::current_dir().unwrap_or_default();
    let remote = untrusted(&tools.config, &here, &folder)?;
    let url = visible(&remote.url);
    let file = remote.url_file.unwrap_or_default();
    Some(Check::bad(
        "remote address",
        format!("{} came with this project and names {url}: it is not used", file.display()),
        "if the service is yours, add its address to `trusted` in [remote] of config.toml",
    ))
}

fn answers(remote: &Remote) -> Check {
    let url = visible(&remote.url);
    let door = RemoteDoor::new(&remote.url, &remote.token, &remote.user_id, ANSWER);
    match door.and_then(|mut door| door.settle()) {
        Ok(dialect) => {
            Check::good("remote", format!("{url} answers and takes the token ({})", dialect.word()))
        }
        Err(trouble) => {
            Check::bad("remote", visible(&format!("{url}: {trouble}")), trouble.remedy())
        }
    }
}

fn secure(remote: &Remote) -> Check {
    const NAME: &str = "remote wire";
    if remote.url.to_ascii_lowercase().starts_with("http://") && !is_loopback(&remote.url) {
        return Check::bad(
            NAME,
            format!("{} is spoken to in the clear, with the token", visible(&remote.url)),
            "set AFTERWORD_API_URL to an address with https://",
        );
    }
    Check::good(NAME, "sealed, or on this machine")
}

fn waiting(tools: &Tools) -> Check {
    const NAME: &str = "remote spool";
    let home = &tools.config.home;
    let (waiting, parked) = (outbox::count(home), outbox::count_parked(home));
    if parked > 0 {
        let folder = home.remote_spool().join("parked");
        return Check::bad(
            NAME,
            format!("{parked} were refused by the service and set aside"),
            format!("see logs/hook.log for why; they lie in {}", folder.display()),
        );
    }
    Check::good(NAME, format!("{waiting} waiting"))
}

/// A file with a token inside a repository must be ignored by git.
fn token_file(remote: &Remote, root: &Path) -> Option<Check> {
    let file = remote.token_file.as_ref().filter(|file| file.starts_with(root))?;
    let ignored = Command::new("git")
        .arg("-C")
        .arg(root)
        .args(["check-ignore", "-q"])
        .arg(file)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    Some(if ignored {
        Check::good("remote token", format!("git ignores {}", file.display()))
    } else {
        Check::bad(
            "remote token",
            format!("{} holds a token and git does not ignore it", file.display()),
            "add it to .gitignore",
        )
    })
}

/// A project that names the address but not the token has the person's own sent there.
fn address_of_project(remote: &Remote, root: &Path) -> Option<Check> {
    let file = remote.url_file.as_ref().filter(|file| file.starts_with(root))?;
    let own = remote.token_file.as_ref().is_some_and(|token| token.starts_with(root));
    (!own && !remote.token.is_empty()).then(|| {
        Check::bad(
            "remote address",
            format!(
                "{} sends your own token to {}",
                file.display(),
                visible(&remote.url)
            ),
            "set AFTERWORD_API_TOKEN beside the address, or take the address out if it is not yours",
        )
    })
}
