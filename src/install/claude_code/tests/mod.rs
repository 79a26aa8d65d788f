//! Installs and uninstalls on real files.

mod damage;
mod others;
mod round_trip;
mod servers;

use std::fs;
use std::path::{Path, PathBuf};

use super::{Installed, install_claude_code, installed_hooks, uninstall_claude_code};
use crate::config::Home;
use crate::install::Report;
use crate::install::{HookSet, Request};

/// A machine with a home, a program and perhaps settings.
struct Machine {
    folder: tempfile::TempDir,
    request: Request,
}

impl Machine {
    fn new() -> Self {
        Self::with_home(".afterword")
    }

    fn with_home(name: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::write(root.join("program"), "the program").unwrap();
        let request = Request {
            home: Home::new(root.join(name)),
            claude_folder: root.join(".claude"),
            project: None,
            mcp_file: None,
            mcp: true,
            starts: true,
            hook_set: HookSet::All,
            guard: false,
            current_exe: root.join("program"),
            dry_run: false,
            disable_other_memories: false,
        };
        Self { folder, request }
    }

    fn with(text: &str) -> Self {
        let machine = Self::new();
        machine.write(text);
        machine
    }

    fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    fn settings(&self) -> PathBuf {
        super::settings_path(&self.request)
    }

    fn write(&self, text: &str) {
        fs::create_dir_all(self.settings().parent().unwrap()).unwrap();
        fs::write(self.settings(), text).unwrap();
    }

    fn text(&self) -> String {
        fs::read_to_string(self.settings()).unwrap()
    }

    fn install(&self) -> Report {
        install_claude_code(&self.request).unwrap()
    }

    fn uninstall(&self) -> Report {
        uninstall_claude_code(&self.request).unwrap()
    }

    fn installed(&self) -> Installed {
        installed_hooks(&self.text(), &self.request.home.binary()).unwrap()
    }

    fn events(&self) -> Vec<String> {
        self.installed().hooks.into_iter().map(|hook| hook.event).collect()
    }

    /// Every file below the folder with its content.
    fn everything(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut found = Vec::new();
        collect(&self.root(), &mut found);
        found.sort();
        found
    }
}

fn collect(folder: &Path, found: &mut Vec<(PathBuf, Vec<u8>)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.push((path.clone(), Vec::new()));
            collect(&path, found);
        } else {
            let content = fs::read(&path).unwrap();
            found.push((path, content));
        }
    }
}
