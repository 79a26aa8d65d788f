//! Where a remote memory service is, from variables and `.conf` files.
//!
//! Layers, strongest first: variables, `$AFTERWORD_CONFIG_DIR` (and `$ADBPGMEM_CONFIG_DIR`), the
//! project's `.claude` folder, Claude Code's own folder. In each folder `afterword.conf` comes
//! before `adbpgmem.conf`; each key is resolved on its own.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::Env;

/// `[remote]`: how a remote memory service is used, where one is configured.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Section {
    /// Keep memories on this machine as well; else no local process is started.
    pub local: bool,
    /// Least score of a memory that a session is given, 0 to 1.
    pub min_score: f64,
    /// Most memories that a session is given.
    pub most: usize,
    /// Addresses that a project's file under version control may name.
    pub trusted: Vec<String>,
}

impl Section {
    /// Whether the person trusts an address, whoever names it.
    pub fn trusts(&self, url: &str) -> bool {
        let plain = |url: &str| url.trim().trim_end_matches('/').to_owned();
        self.trusted.iter().any(|trusted| plain(trusted) == plain(url))
    }
}

impl Default for Section {
    fn default() -> Self {
        Self { local: false, min_score: 0.5, most: 20, trusted: Vec::new() }
    }
}

/// A remote service, where one is configured.
#[derive(Clone, PartialEq, Eq)]
pub struct Remote {
    /// Address, without a trailing slash.
    pub url: String,
    /// Token; empty when none is set.
    pub token: String,
    /// User id; the login name unless set.
    pub user_id: String,
    /// The file that holds the token, where a file does.
    pub token_file: Option<PathBuf>,
    /// The file that holds the address, where a file does.
    pub url_file: Option<PathBuf>,
}

impl std::fmt::Debug for Remote {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Remote")
            .field("url", &self.url)
            .field("user_id", &self.user_id)
            .finish_non_exhaustive()
    }
}

/// Resolves the remote service for a project folder; none when no layer names an address.
pub fn resolve(env: &Env, project: Option<&Path>) -> Option<Remote> {
    let told = ["AFTERWORD_CONFIG_DIR", "ADBPGMEM_CONFIG_DIR"].into_iter().filter_map(|name| {
        env.get(name).map(|folder| super::env::expand(folder, &env.user_home()))
    });
    let layers: Vec<Vec<ConfFile>> = [
        told.collect(),
        project.map(|p| p.join(".claude")).into_iter().collect(),
        vec![env.claude_folder()],
    ]
    .iter()
    .map(|folders: &Vec<PathBuf>| files_of(folders))
    .collect();
    let find = |key: &str| -> Option<(String, Option<PathBuf>)> {
        let names = [format!("AFTERWORD_{key}"), format!("ADBPGMEM_{key}")];
        if let Some(value) = names.iter().find_map(|name| env.get(name)) {
            return Some((value.to_owned(), None));
        }
        layers.iter().find_map(|files| {
            names.iter().find_map(|name| files.iter().find_map(|file| file.value(name)))
        })
    };
    let (url, url_file) = find("API_URL")?;
    let (token, token_file) = find("API_TOKEN").unwrap_or_default();
    let user_id = find("USER_ID")
        .map(|(value, _)| value)
        .or_else(|| env.get("USER").map(str::to_owned))
        .unwrap_or_else(|| "default".to_owned());
    let url = url.trim_end_matches('/').to_owned();
    Some(Remote { url, token, user_id, token_file, url_file })
}

/// A file of one layer.
struct ConfFile {
    path: PathBuf,
    pairs: Vec<(String, String)>,
}

impl ConfFile {
    fn value(&self, name: &str) -> Option<(String, Option<PathBuf>)> {
        let (_, value) = self.pairs.iter().find(|(n, v)| n == name && !v.is_empty())?;
        Some((value.clone(), Some(self.path.clone())))
    }
}

fn files_of(folders: &[PathBuf]) -> Vec<ConfFile> {
    let paths = folders.iter().flat_map(|f| [f.join("afterword.conf"), f.join("adbpgmem.conf")]);
    paths
        .filter_map(|path| {
            let pairs = parse(&std::fs::read_to_string(&path).ok()?);
            Some(ConfFile { path, pairs })
        })
        .collect()
}

/// Reads `KEY="value"` lines; `export ` in front, comments and blank lines are fine.
fn parse(text: &str) -> Vec<(String, String)> {
    text.trim_start_matches('\u{feff}')
        .lines()
        .filter_map(|line| {
            let line = line.trim();
            let line = line.strip_prefix("export ").unwrap_or(line);
            let (key, value) = line.split_once('=')?;
            let key = key.trim();
            if key.starts_with('#') {
                return None;
            }
            let value = value.trim();
            let value = ['"', '\'']
                .iter()
                .find_map(|q| value.strip_prefix(*q).and_then(|v| v.split_once(*q)))
                .map_or_else(|| value.split(" #").next().unwrap_or("").trim(), |(v, _)| v);
            Some((key.to_owned(), value.to_owned()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_resolved_one_by_one_through_the_layers() {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("repo");
        let home = folder.path().join("home");
        std::fs::create_dir_all(project.join(".claude")).unwrap();
        std::fs::create_dir_all(home.join(".claude")).unwrap();
        std::fs::write(
            home.join(".claude/adbpgmem.conf"),
            "ADBPGMEM_API_URL=\"http://all/\"\nADBPGMEM_API_TOKEN='t' # mine\n",
        )
        .unwrap();
        std::fs::write(
            project.join(".claude/afterword.conf"),
            "# here\nexport AFTERWORD_API_URL=http://here\n",
        )
        .unwrap();
        let env = Env::from_lookup(|name| match name {
            "HOME" => Some(home.display().to_string()),
            "USER" => Some("dev".into()),
            _ => None,
        });
        let remote = resolve(&env, Some(&project)).unwrap();
        assert_eq!(remote.url, "http://here");
        assert_eq!(remote.token, "t");
        assert_eq!(remote.user_id, "dev");
        assert_eq!(resolve(&env, None).unwrap().url, "http://all");
        assert!(resolve(&Env::default(), None).is_none());
    }

    /// What stands where, and the address and the user that come of it.
    #[test]
    fn every_layer_comes_before_those_below_it() {
        const LAYERS: [&str; 7] = [
            "AFTERWORD_API_URL",
            "ADBPGMEM_API_URL",
            "told/afterword.conf",
            "told/adbpgmem.conf",
            "repo/.claude/afterword.conf",
            "repo/.claude/adbpgmem.conf",
            "claude/adbpgmem.conf",
        ];
        // Each row switches one more of the strongest layers off.
        for strongest in 0..=LAYERS.len() {
            let folder = tempfile::tempdir().unwrap();
            let at = |path: &str| folder.path().join(path);
            let set: Vec<&str> = LAYERS[strongest..].to_vec();
            for path in set.iter().filter(|path| path.contains('/')) {
                std::fs::create_dir_all(at(path).parent().unwrap()).unwrap();
                let prefix = if path.contains("adb") { "ADBPGMEM" } else { "AFTERWORD" };
                // Empty values count as absent ones.
                let text = format!(
                    "\u{feff}{prefix}_USER_ID=\"\"\r\n{prefix}_API_URL=\"http://{path}\"\r\n"
                );
                std::fs::write(at(path), text).unwrap();
            }
            let env = Env::from_lookup(|name| match name {
                "CLAUDE_CONFIG_DIR" => Some(at("claude").display().to_string()),
                "ADBPGMEM_CONFIG_DIR" => Some(at("told").display().to_string()),
                "USER" => Some("dev".to_owned()),
                _ => set.contains(&name).then(|| format!("http://{name}")),
            });
            let found = resolve(&env, Some(&at("repo")));
            let url = found.as_ref().map(|remote| remote.url.clone());
            assert_eq!(url, LAYERS.get(strongest).map(|layer| format!("http://{layer}")));
            if let Some(remote) = found {
                assert_eq!((remote.user_id.as_str(), remote.token.as_str()), ("dev", ""));
                assert_eq!(remote.url_file.is_some(), LAYERS[strongest].contains('/'));
            }
        }
    }

    #[test]
    fn our_names_come_first_within_a_layer() {
        let folder = tempfile::tempdir().unwrap();
        let claude = folder.path().join(".claude");
        std::fs::create_dir(&claude).unwrap();
        std::fs::write(claude.join("afterword.conf"), "ADBPGMEM_API_URL=http://old\n").unwrap();
        std::fs::write(claude.join("adbpgmem.conf"), "AFTERWORD_API_URL=http://new\n").unwrap();
        let url = |variable: &'static str| {
            let env = Env::from_lookup(|name| match name {
                "HOME" => Some(folder.path().display().to_string()),
                _ => (name == variable).then(|| "http://variable".to_owned()),
            });
            resolve(&env, None).unwrap().url
        };
        assert_eq!(url(""), "http://new");
        assert_eq!(url("ADBPGMEM_API_URL"), "http://variable");
    }
}
