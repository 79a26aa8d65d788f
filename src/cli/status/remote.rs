//! The remote service in `afterword status`.

use serde::Serialize;

use crate::cli::output::{Output, visible};
use crate::cli::{Tools, project};
use crate::hook::remote::{outbox, service_of};

/// Where a remote service keeps memories, and what waits for it.
#[derive(Debug, Serialize)]
pub(super) struct RemoteStatus {
    url: String,
    user_id: String,
    /// Whether memories are kept on this machine as well.
    pub(super) local: bool,
    waiting: usize,
    parked: usize,
    /// What went wrong the last time; none where nothing did.
    problem: Option<String>,
}

impl RemoteStatus {
    /// That of the current folder's project.
    pub(super) fn here(tools: &Tools) -> Option<Self> {
        let here = project::here(tools, None).unwrap_or_default();
        let folder = std::env::current_dir().unwrap_or_default();
        let (remote, _) = service_of(&tools.config, &here, &folder)?;
        let home = &tools.config.home;
        Some(Self {
            url: remote.url,
            user_id: remote.user_id,
            local: tools.config.file.remote.local,
            waiting: outbox::count(home),
            parked: outbox::count_parked(home),
            problem: Some(outbox::brake(home).trouble).filter(|trouble| !trouble.is_empty()),
        })
    }

    pub(super) fn show(&self, out: Output) {
        out.line(&out.bold("Remote service"));
        out.line(&format!("  address         {}", visible(&self.url)));
        out.line(&format!("  user            {}", visible(&self.user_id)));
        let here =
            if self.local { "kept too" } else { "not kept: local = true in [remote] keeps both" };
        out.line(&format!("  on this machine {here}"));
        out.line(&format!("  waiting         {}", self.waiting));
        if self.parked > 0 {
            out.line(&format!("  set aside       {}, refused by the service", self.parked));
        }
        if let Some(problem) = &self.problem {
            out.line(&format!("  {}", out.bad(&visible(problem))));
            out.line("  see 'afterword doctor'; 'afterword deliver' tries again");
        }
    }
}
