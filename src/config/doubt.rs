//! What holds while `config.toml` cannot be read as a whole.
//!
//! A slip must not lift what the person forbade. So of the file and of its last good copy the stricter
//! setting holds, and where the file means to exclude folders and its list cannot be read, whatever in it
//! looks like a path is taken for one of them; where there is no such thing, everything is excluded.

use std::path::Path;

use super::file::{FileConfig, InjectOn};

/// Begins the names of settings that exclude something.
const EXCLUDES: &str = "exclu";

/// The settings in doubt. `text` is the file's; none where it cannot be read at all.
pub(super) fn settle(read: FileConfig, text: Option<&str>, last_good: &Path) -> FileConfig {
    let mut settled = FileConfig { in_doubt: true, ..read };
    let good = std::fs::read(last_good).ok().and_then(|bytes| FileConfig::parse(&bytes).ok());
    match text {
        None => settled.closed = good.is_none(),
        Some(text) if settled.capture.excluded_paths.is_empty() => {
            let text = plain(text);
            if means_to_exclude(&text) {
                settled.capture.excluded_paths = paths(&text);
                settled.closed = settled.capture.excluded_paths.is_empty();
            }
        }
        Some(_) => {}
    }
    if let Some(good) = good {
        add(&mut settled.capture.excluded_paths, good.capture.excluded_paths);
        add(&mut settled.capture.skip_tools, good.capture.skip_tools);
        add(&mut settled.guard.extra_paths, good.guard.extra_paths);
        let recall = &mut settled.recall;
        recall.session_start &= good.recall.session_start;
        if good.recall.inject_on == InjectOn::FirstPrompt {
            recall.inject_on = InjectOn::FirstPrompt;
        }
        recall.prompt_recall &= good.recall.prompt_recall;
        recall.file &= good.recall.file;
    }
    settled
}

fn add(list: &mut Vec<String>, more: Vec<String>) {
    for one in more {
        if !list.contains(&one) {
            list.push(one);
        }
    }
}

/// The text without comments on lines of their own, and without the gaps between the letters of one that
/// was saved in two bytes a letter.
fn plain(text: &str) -> String {
    let text: String = text.chars().filter(|c| *c != '\0').collect();
    let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
    lines.collect::<Vec<_>>().join("\n")
}

/// Whether something is to be excluded; an empty list excludes nothing.
fn means_to_exclude(text: &str) -> bool {
    let bare: String = text.to_lowercase().chars().filter(|c| !c.is_whitespace()).collect();
    bare.replace("excluded_paths=[]", "").contains(EXCLUDES)
}

/// Whatever looks like a path, in quotes or without.
fn paths(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines() {
        let quoted = line.split(['"', '\'']).skip(1).step_by(2);
        // What is quoted may hold blanks; a quote that is not closed ends with its line.
        let quoted = quoted.map(|word| word.trim_end_matches([']', ',', ' ', '\t']));
        let bare = line.split([' ', '\t', ',', '[', ']', '=', '"', '\'']);
        let bare = bare.filter(|word| word.len() > 1);
        add(&mut found, quoted.chain(bare).filter(|w| is_path(w)).map(str::to_owned).collect());
    }
    found
}

fn is_path(word: &str) -> bool {
    let drive = word.as_bytes().get(1) == Some(&b':') && word.len() > 2;
    word.starts_with(['/', '~', '\\']) || (drive && matches!(word.as_bytes()[2], b'/' | b'\\'))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn read(text: &str, good: Option<&str>) -> FileConfig {
        let folder = tempfile::tempdir().unwrap();
        let (path, copy) = (folder.path().join("c.toml"), folder.path().join("good.toml"));
        fs::write(&path, text).unwrap();
        if let Some(good) = good {
            fs::write(&copy, good).unwrap();
        }
        let (config, problem) = FileConfig::read(&path, &copy);
        assert_eq!(config.in_doubt, problem.is_some());
        config
    }

    #[test]
    fn f2_what_a_list_that_cannot_be_read_excludes_is_excluded() {
        for (text, paths) in [
            ("[capture]\nexcluded_paths = [\"~/secret\"\n[daemon]\nport = 1", &["~/secret"][..]),
            ("[capture]\nexcluded_paths = [\"~/my secret]\n", &["~/my secret", "~/my"]),
            ("[capture]\nexcluded_paths = [~/secret, /srv/b]", &["~/secret", "/srv/b"]),
            ("[capture]\nexcluded_paths = \"C:/work\"", &["C:/work"]),
            ("[capture]\nexclude = ['/srv/a b', '/srv/c']", &["/srv/a b", "/srv/a", "/srv/c"]),
            ("[captrue]\nexcluded_paths = [\"/srv\"]", &["/srv"]),
            (
                "[daemon\n[capture]\nexcluded_paths = [\n  '/srv/a',\n  '/srv/b',\n]",
                &["/srv/a", "/srv/b"],
            ),
        ] {
            let config = read(text, None);
            let mut excluded = config.capture.excluded_paths;
            let mut paths = paths.to_vec();
            excluded.sort();
            paths.sort_unstable();
            assert_eq!(
                (excluded, config.closed),
                (paths.iter().map(|p| (*p).to_owned()).collect(), false),
                "{text}"
            );
        }
        let wide: String =
            "[capture]\nexcluded_paths = ['/srv']".chars().flat_map(|c| [c, '\0']).collect();
        assert_eq!(read(&wide, None).capture.excluded_paths, ["/srv"]);
    }

    #[test]
    fn f2_what_nobody_can_read_excludes_everything() {
        assert!(read("[capture]\nexcluded_paths = ", None).closed);
        assert!(read("[capture]\nexcluded_paths = 3", Some("")).closed);
        for text in
            ["[daemon\nport = 4", "# excluded_paths\n[daemon", "[capture]\nexcluded_paths = []\n["]
        {
            assert!(!read(text, None).closed, "{text}");
        }
        // A folder stands where the file should be.
        let folder = tempfile::tempdir().unwrap();
        let good = folder.path().join("good.toml");
        assert!(FileConfig::read(folder.path(), &good).0.closed);
        fs::write(&good, "[capture]\nexcluded_paths = ['/srv']").unwrap();
        let (config, _) = FileConfig::read(folder.path(), &good);
        assert!(!config.closed && config.capture.excluded_paths == ["/srv"]);
    }

    #[test]
    fn f2_of_the_file_and_its_last_good_copy_the_stricter_setting_holds() {
        let good = "[capture]\nexcluded_paths = ['/old']\nskip_tools = ['Mine']\n\
                    [recall]\nfile = false\n[guard]\nextra_paths = ['/g/**']\n[daemon]\nport = 9";
        let config = read("[recall]\nprompt_recall = false\n[daemon", Some(good));
        assert_eq!(config.capture.excluded_paths, ["/old"]);
        assert!(config.capture.skip_tools.contains(&"Mine".to_owned()));
        assert_eq!(config.guard.extra_paths, ["/g/**"]);
        assert_eq!((config.recall.file, config.daemon.port), (false, 37_777));
        let config = read("[capture]\nexcluded_paths = ['/new']\n[distil]\nmode = 'x'", Some(good));
        assert_eq!(config.capture.excluded_paths, ["/new", "/old"]);
        let config = read("[capture]\nexcluded_paths = ['/new']", Some(good));
        assert_eq!(config.capture.excluded_paths, ["/new"], "a good file counts alone");
        assert_eq!(read("[daemon", Some("[daemon")).capture.excluded_paths, [""; 0]);
    }
}
