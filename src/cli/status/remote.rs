//! The remote service in `afterword status`.

use serde::Serialize;

use super::page::Page;
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

    pub(super) fn show(&self, page: Page) {
        page.head("Remote service");
        page.told("address", &self.url);
        page.told("user", &self.user_id);
        let here =
            if self.local { "kept too" } else { "not kept: local = true in [remote] keeps both" };
        page.told("on this machine", here);
        page.told("waiting", &self.waiting.to_string());
        if self.parked > 0 {
            page.told("set aside", &format!("{}, refused by the service", self.parked));
        }
        if let Some(problem) = &self.problem {
            page.alarm(problem);
            page.say("see 'afterword doctor'; 'afterword deliver' tries again");
        }
    }
}
