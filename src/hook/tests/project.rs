use std::process::Command;

use super::*;

struct World {
    _folder: tempfile::TempDir,
    root: PathBuf,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("home")).unwrap();
        Self { _folder: folder, root }
    }

    fn dir(&self, path: &str) -> PathBuf {
        let dir = self.root.join(path);
        std::fs::create_dir_all(&dir).unwrap();
        dir
    }

    fn git(&self, dir: &Path, args: &[&str]) {
        let output = Command::new("git")
            .args(["-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main"])
            .args(["-c", "user.name=dev", "-c", "user.email=dev@example.com"])
            .args(args)
            .current_dir(dir)
            .env("HOME", self.root.join("home"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env_remove("GIT_DIR")
            .output()
            .unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    fn repo(&self, path: &str) -> PathBuf {
        let dir = self.dir(path);
        self.git(&dir, &["init", "-q"]);
        // The message makes the first commit its own: equal first commits would be one project.
        self.git(&dir, &["commit", "-q", "--allow-empty", "-m", path]);
        dir
    }

    fn env(&self, project: Option<&str>) -> Env {
        Env::from_lookup(|name| match name {
            "HOME" => Some(self.root.join("home").display().to_string()),
            "AFTERWORD_PROJECT" => project.map(str::to_owned),
            _ => None,
        })
    }

    fn resolve(&self, dir: &Path) -> ProjectRef {
        resolve(Some(dir), &self.env(None))
    }
}

fn share_a_key(a: &ProjectRef, b: &ProjectRef) -> bool {
    a.keys.iter().any(|k| b.keys.contains(k))
}

#[test]
fn h1_same_folder_names_are_different_projects() {
    let world = World::new();
    let (work, play) = (world.repo("work/api"), world.repo("play/api"));
    let (a, b) = (world.resolve(&work), world.resolve(&play));
    assert_eq!((a.name.as_str(), b.name.as_str()), ("api", "api"));
    assert!(!share_a_key(&a, &b));
    let (c, d) = (world.resolve(&world.dir("x/notes")), world.resolve(&world.dir("y/notes")));
    assert_eq!(c.keys, [format!("dir:{}", path_key(&world.root.join("x/notes")))]);
    assert!(!share_a_key(&c, &d));
}

#[test]
fn h1_clones_of_one_remote_are_one_project() {
    let world = World::new();
    let (a, b) = (world.repo("a"), world.repo("b"));
    world.git(&a, &["remote", "add", "upstream", "https://example.com/else/where"]);
    world.git(&a, &["remote", "add", "origin", "https://u:p@GitHub.com/Owner/Tool.git"]);
    world.git(&b, &["remote", "add", "first", "git@github.com:Owner/Tool.git"]);
    let (a, b) = (world.resolve(&a), world.resolve(&b.join(".")));
    assert_eq!(a.keys[0], "remote:github.com/Owner/Tool");
    assert_eq!(a.name, "Tool");
    assert_eq!(a.branch.as_deref(), Some("main"));
    assert!(share_a_key(&a, &b));
    let folder = format!("dir:{}", path_key(&world.root.join("a/.git")));
    assert_eq!(a.keys[1], folder, "kept for when the remote changes");
}

#[test]
fn h2_worktrees_share_the_project_and_keep_a_label() {
    let world = World::new();
    let main = world.repo("repo");
    world.git(&main, &["worktree", "add", "-q", "-b", "topic", "../elsewhere/wt"]);
    let inside = world.dir("elsewhere/wt/src/deep");
    let (a, b) = (world.resolve(&main), world.resolve(&inside));
    assert_eq!(a.keys, b.keys);
    assert_eq!((a.name.as_str(), b.name.as_str()), ("repo", "repo"));
    assert_eq!((a.worktree, a.branch.as_deref()), (None, Some("main")));
    assert_eq!((b.worktree.as_deref(), b.branch.as_deref()), (Some("wt"), Some("topic")));
    assert_eq!(b.root.unwrap(), world.root.join("elsewhere/wt").to_string_lossy());
}

#[test]
fn h2_worktrees_of_a_bare_repository_share_its_name() {
    let world = World::new();
    let main = world.repo("seed");
    world.git(&world.root, &["clone", "-q", "--bare", "seed", "store.git"]);
    world.git(&world.root.join("store.git"), &["remote", "remove", "origin"]);
    for wt in ["one", "two"] {
        world.git(
            &world.root.join("store.git"),
            &["worktree", "add", "-q", "-f", &format!("../{wt}"), "main"],
        );
    }
    let (a, b) = (world.resolve(&world.root.join("one")), world.resolve(&world.root.join("two")));
    assert_eq!(a.keys, b.keys);
    assert_eq!(a.name, "store");
    assert!(!share_a_key(&a, &world.resolve(&main)));
}

#[test]
fn h3_a_submodule_belongs_to_its_parent() {
    let world = World::new();
    let (leaf, lib, parent) = (world.repo("leaf"), world.repo("lib"), world.repo("parent"));
    world.git(&lib, &["submodule", "--quiet", "add", leaf.to_str().unwrap(), "deps/leaf"]);
    world.git(&lib, &["commit", "-qm", "leaf"]);
    world.git(&parent, &["submodule", "--quiet", "add", lib.to_str().unwrap(), "libs/lib"]);
    world.git(&parent, &["submodule", "--quiet", "update", "--init", "--recursive"]);
    world.git(&parent, &["commit", "-qm", "lib"]);
    let own = world.resolve(&parent);
    for (path, label) in [("libs/lib", "libs/lib"), ("libs/lib/deps/leaf", "libs/lib/deps/leaf")] {
        let inner = world.resolve(&parent.join(path));
        assert_eq!(inner.keys, own.keys, "{path}");
        assert_eq!(inner.root, own.root);
        assert_eq!(inner.worktree.as_deref(), Some(label));
        assert_eq!(inner.name, "parent");
    }
    world.git(&parent, &["worktree", "add", "-q", "-b", "side", "../wt"]);
    let wt = world.root.join("wt");
    world.git(&wt, &["submodule", "--quiet", "update", "--init"]);
    let inner = world.resolve(&wt.join("libs/lib"));
    assert_eq!(inner.keys, own.keys);
    assert_eq!(inner.worktree.as_deref(), Some("wt/libs/lib"));
    assert!(!share_a_key(&own, &world.resolve(&lib)));
}

#[test]
fn h4_a_repository_without_a_remote_is_known_wherever_it_moves() {
    let world = World::new();
    let old = world.repo("old/name");
    let first = world.resolve(&old);
    assert!(first.keys[0].starts_with("root:"), "{:?}", first.keys);
    world.git(&old, &["commit", "-q", "--allow-empty", "-m", "second"]);
    world.git(&old, &["worktree", "add", "-q", "-b", "topic", "../wt"]);
    assert_eq!(world.resolve(&world.root.join("old/wt")).keys, first.keys);
    let new = world.dir("new").join("title");
    std::fs::rename(&old, &new).unwrap();
    let moved = world.resolve(&new);
    assert_eq!(moved.keys[0], first.keys[0]);
    assert_eq!(moved.name, "title");
    // The folder alone is left when git has forgotten, and when there is a remote that says more.
    world.git(&new, &["remote", "add", "origin", "https://example.com/a/b"]);
    assert!(share_a_key(&moved, &world.resolve(&new)), "the remote is added to what is known");
    assert!(!world.resolve(&new).keys.iter().any(|k| k.starts_with("root:")));
    world.git(&new, &["remote", "remove", "origin"]);
    for log in ["", "zzz\n", "0 1 dev <d> 1 +0\tcommit (initial): x", "\t", "a\tb\n"] {
        std::fs::write(new.join(".git/logs/HEAD"), log).unwrap();
        assert_eq!(world.resolve(&new).keys, moved.keys[1..], "{log:?}");
    }
    std::fs::remove_file(new.join(".git/logs/HEAD")).unwrap();
    assert_eq!(world.resolve(&new).keys, moved.keys[1..]);
}

#[test]
fn h4_a_folder_that_becomes_a_repository_keeps_its_project() {
    let world = World::new();
    let dir = world.dir("plain/notes");
    let before = world.resolve(&dir);
    let after = world.resolve(&world.repo("plain/notes"));
    assert!(share_a_key(&before, &after), "{:?} {:?}", before.keys, after.keys);
}

#[test]
fn a_repository_inside_a_repository_is_its_own_project() {
    let world = World::new();
    let outer = world.repo("outer");
    let inner = world.repo("outer/vendor/inner");
    assert!(!share_a_key(&world.resolve(&outer), &world.resolve(&inner)));
}

#[test]
fn a_git_folder_kept_elsewhere_is_found() {
    let world = World::new();
    let dir = world.dir("sep");
    world.git(&dir, &["init", "-q", "--separate-git-dir", "../kept"]);
    let project = world.resolve(&world.dir("sep/src"));
    assert_eq!(project.keys, [format!("dir:{}", path_key(&world.root.join("kept")))]);
    assert_eq!(project.name, "sep");
}

#[test]
fn h8_the_home_folder_is_a_scope_of_its_own() {
    let world = World::new();
    let home = world.repo("home");
    for dir in [home.clone(), world.root.clone(), PathBuf::from("/")] {
        let project = world.resolve(&dir);
        assert_eq!(project.keys, ["home"], "{}", dir.display());
        assert_eq!(project.name, "home");
    }
    // Dotfiles under version control do not swallow every folder below.
    let notes = world.resolve(&world.dir("home/notes"));
    assert_eq!(notes.keys, [format!("dir:{}", path_key(&home.join("notes")))]);
}

#[test]
fn h9_an_explicit_name_wins_then_the_nearest_marker_then_the_folder() {
    let world = World::new();
    let repo = world.repo("group/repo");
    let sub = world.dir("group/repo/sub");
    std::fs::write(world.root.join("group/.afterword.toml"), "enabled = false\n").unwrap();
    let far = inspect(Some(&sub), &world.env(None));
    assert!(!far.enabled);
    assert_eq!(far.project.name, "repo");
    std::fs::write(repo.join(".afterword.toml"), "\u{feff}project = \" Shared \"\nlater = 1\n")
        .unwrap();
    let near = inspect(Some(&sub), &world.env(None));
    assert!(near.enabled);
    assert_eq!(near.project.keys, ["name:Shared"]);
    assert_eq!(near.project.root.as_deref(), Some(repo.to_str().unwrap()));
    let told = inspect(Some(&sub), &world.env(Some("Told")));
    assert_eq!((told.project.name.as_str(), told.project.keys[0].as_str()), ("Told", "name:Told"));
    std::fs::write(repo.join(".afterword.toml"), "project = [broken").unwrap();
    assert_eq!(world.resolve(&sub).name, "repo");
}

#[test]
fn d4_d10_links_and_odd_names_change_nothing() {
    let world = World::new();
    let odd = world.repo("⚙️ 项目/a b'c");
    let project = world.resolve(&odd);
    assert_eq!(project.name, "a b'c");
    #[cfg(unix)]
    {
        let link = world.root.join("link");
        std::os::unix::fs::symlink(&odd, &link).unwrap();
        assert_eq!(world.resolve(&link), project);
        let plain = world.dir("проект");
        std::os::unix::fs::symlink(&plain, world.root.join("l2")).unwrap();
        assert_eq!(world.resolve(&world.root.join("l2")), world.resolve(&plain));
    }
}

#[test]
fn d13_similar_and_very_long_paths_are_projects_of_their_own() {
    let world = World::new();
    let long = format!("{}/{}", "d".repeat(200), "e".repeat(200));
    let dirs = ["a/my_app", "a/my-app", long.as_str()].map(|d| world.resolve(&world.dir(d)));
    assert!(!share_a_key(&dirs[0], &dirs[1]));
    assert_eq!(dirs[2].name, "e".repeat(200));
}

#[test]
fn d12_a_folder_that_is_gone_keeps_its_project() {
    let world = World::new();
    let repo = world.repo("repo");
    let gone = repo.join("src/gone");
    assert_eq!(world.resolve(&gone).keys, world.resolve(&repo).keys);
    let plain = world.dir("plain/dir");
    let before = world.resolve(&plain);
    std::fs::remove_dir(&plain).unwrap();
    assert_eq!(world.resolve(&plain).keys, before.keys);
}

#[test]
fn a_detached_head_has_no_branch_and_a_damaged_repository_is_a_folder() {
    let world = World::new();
    let repo = world.repo("repo");
    world.git(&repo, &["checkout", "-q", "--detach"]);
    assert_eq!(world.resolve(&repo).branch, None);
    let broken = world.dir("broken");
    std::fs::write(broken.join(".git"), "gitdir: /nowhere/at/all\n").unwrap();
    assert_eq!(world.resolve(&broken).keys, [format!("dir:{}", path_key(&broken))]);
}

#[test]
fn without_a_folder_the_process_folder_counts() {
    let here = std::path::absolute(".").unwrap();
    assert_eq!(inspect(None, &Env::default()), inspect(Some(&here), &Env::default()));
}
