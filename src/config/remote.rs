//! Where a remote memory service is, from variables and `.conf` files.
//!
//! Layers, strongest first: variables, `$AFTERWORD_CONFIG_DIR` (and `$ADBPGMEM_CONFIG_DIR`), the
//! project's `.claude` folder, Claude Code's own folder. In each folder `afterword.conf` comes
//! before `adbpgmem.conf`; each key is resolved on its own.

use std::path::{Path, PathBuf};

use super::Env;

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
    let mut folders: Vec<PathBuf> = Vec::new();
    for name in ["AFTERWORD_CONFIG_DIR", "ADBPGMEM_CONFIG_DIR"] {
        if let Some(folder) = env.get(name) {
            folders.push(super::env::expand(folder, &env.user_home()));
        }
    }
    folders.extend(project.map(|p| p.join(".claude")));
    folders.push(env.claude_folder());
    let files: Vec<(PathBuf, Vec<(String, String)>)> = folders
        .iter()
        .flat_map(|f| [f.join("afterword.conf"), f.join("adbpgmem.conf")])
        .filter_map(|path| {
            let text = std::fs::read_to_string(&path).ok()?;
            Some((path, parse(&text)))
        })
        .collect();
    let find = |key: &str| -> Option<(String, Option<PathBuf>)> {
        let names = [format!("AFTERWORD_{key}"), format!("ADBPGMEM_{key}")];
        if let Some(value) = names.iter().find_map(|n| env.get(n)) {
            return Some((value.to_owned(), None));
        }
        files.iter().find_map(|(path, pairs)| {
            names.iter().find_map(|name| {
                let (_, value) = pairs.iter().find(|(n, v)| n == name && !v.is_empty())?;
                Some((value.clone(), Some(path.clone())))
            })
        })
    };
    let (url, _) = find("API_URL")?;
    let (token, token_file) = find("API_TOKEN").unwrap_or_default();
    let user_id = find("USER_ID")
        .map(|(v, _)| v)
        .or_else(|| env.get("USER").map(str::to_owned))
        .unwrap_or_else(|| "default".to_owned());
    Some(Remote { url: url.trim_end_matches('/').to_owned(), token, user_id, token_file })
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
}
