//! Names of functions that write files, and which of their arguments they write to.

/// What a call does with its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Call {
    /// Writes to the first.
    First,
    /// Reads the first and writes to the others.
    Others,
    /// Writes to all of them.
    All,
    /// Takes folders away with all that is in them.
    Whole,
    /// Opens a file; another argument says whether to write.
    Open,
    /// Runs a command line or a list of words.
    Run,
    /// Makes one path of its arguments.
    Join,
    /// The person's home folder.
    Home,
    /// Anything else: what comes out of it is no path.
    Unknown,
}

/// Names that mean one thing wherever they stand, in small letters.
const PLAIN: [(Call, &[&str]); 8] = [
    (
        Call::First,
        &[
            "writefile",
            "writefilesync",
            "appendfile",
            "appendfilesync",
            "createwritestream",
            "outputfile",
            "outputfilesync",
            "writetextfile",
            "writetextfilesync",
            "file_put_contents",
            "writealltext",
            "writealllines",
            "writeallbytes",
            "appendalltext",
            "appendalllines",
            "appendtext",
            "createtext",
            "openwrite",
            "binwrite",
            "savetxt",
            "to_csv",
            "to_json",
            "to_markdown",
            "savefig",
            "filewriter",
            "mkdirsync",
            "makedirs",
            "mkdir_p",
            "truncatesync",
            "unlinksync",
        ],
    ),
    (
        Call::Others,
        &[
            "copyfile",
            "copyfilesync",
            "copy2",
            "copytree",
            "cpsync",
            "cp_r",
            "symlink",
            "symlinksync",
            "linksync",
            "ln_s",
            "writelines",
        ],
    ),
    (Call::All, &["unlink", "renamesync", "renames", "rm_f"]),
    (Call::Whole, &["rmtree", "rmsync", "rimraf", "rm_rf", "rm_r", "removesync", "remove_dir_all"]),
    (Call::Open, &["open", "opensync", "fopen", "sysopen"]),
    (
        Call::Run,
        &[
            "system",
            "popen",
            "exec",
            "execsync",
            "execfilesync",
            "spawn",
            "spawnsync",
            "shell_exec",
            "passthru",
            "check_call",
            "check_output",
            "getoutput",
        ],
    ),
    (
        Call::Join,
        &[
            "join",
            "joinpath",
            "path",
            "purepath",
            "posixpath",
            "pathname",
            "resolve",
            "normalize",
            "expanduser",
            "expandvars",
            "expand_path",
            "abspath",
            "absolute",
            "realpath",
            "normpath",
            "str",
            "string",
            "fspath",
            "with_name",
        ],
    ),
    (Call::Home, &["homedir"]),
];

/// Names that mean files only with one of [`MODULES`] before them, or with nothing.
const OF_MODULES: [(Call, &[&str]); 5] = [
    (Call::First, &["write", "append", "save", "touch", "mkdir", "create", "truncate", "new"]),
    (Call::Others, &["copy", "cp", "link", "dump"]),
    (Call::All, &["remove", "rename", "replace", "move", "delete", "rmdir", "mv"]),
    (Call::Whole, &["rm"]),
    (Call::Run, &["run", "call"]),
];

/// Modules and classes of files and processes, in small letters.
const MODULES: [&str; 16] = [
    "os",
    "fs",
    "fsp",
    "promises",
    "shutil",
    "file",
    "fileutils",
    "io",
    "dir",
    "bun",
    "deno",
    "directory",
    "subprocess",
    "pathlib",
    "np",
    "numpy",
];

/// What a call of this name does; `module` is what stands in front of it, none behind another call.
pub(super) fn call(name: &str, module: Option<&str>) -> Call {
    let name = name.to_lowercase();
    let in_table = |table: &[(Call, &[&str])]| {
        table.iter().find(|(_, names)| names.contains(&name.as_str())).map(|(call, _)| *call)
    };
    let module = module.map(str::to_lowercase);
    if name == "home" && module.as_deref().is_some_and(|m| m.ends_with("path") || m == "dir") {
        return Call::Home;
    }
    if let Some(call) = in_table(&PLAIN) {
        return call;
    }
    let of_files = match module.as_deref() {
        // Bare names are common words in any program: only those of a file's life count.
        Some("") => !matches!(name.as_str(), "replace" | "write" | "append" | "create" | "new"),
        Some(module) => MODULES.contains(&module.rsplit(['.', ':']).next().unwrap_or(module)),
        None => name != "replace",
    };
    if of_files { in_table(&OF_MODULES).unwrap_or(Call::Unknown) } else { Call::Unknown }
}

/// Methods of a path that write to it.
pub(super) fn writes_to_receiver(method: &str) -> bool {
    matches!(
        method,
        "write_text"
            | "write_bytes"
            | "unlink"
            | "touch"
            | "mkdir"
            | "rmdir"
            | "rename"
            | "symlink_to"
            | "hardlink_to"
            | "write"
            | "delete"
            | "rmtree"
    )
}

/// Whether a text is a mode of opening that writes: `w`, `ab`, `r+`, `>>`.
pub(super) fn is_writing_mode(text: &str) -> bool {
    let text = text.trim();
    let letters = text.len() <= 4 && text.chars().all(|c| "rwaxbtsU+".contains(c));
    (letters && text.contains(['w', 'a', 'x', '+'])) || matches!(text, ">" | ">>" | "+<" | "+>")
}
