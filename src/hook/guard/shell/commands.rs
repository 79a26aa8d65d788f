//! Which arguments of which program are written to.

use super::interpreters::is_interpreter;
use super::options::{behind_options, cluster, has_letter, operands, operands_without, values};
use super::{Dialect, Walk, launchers, powershell};
use crate::hook::guard::tools;

/// Programs that write to each of their operands.
const ALL: [&str; 23] = [
    "tee", "touch", "mkdir", "rm", "rmdir", "truncate", "unlink", "shred", "mkfifo", "mknod",
    "sponge", "mv", "rename", "ed", "ex", "vi", "vim", "nvim", "nano", "emacs", "rimraf", "trash",
    "del",
];
/// Programs that write to their last operand, or into the folder an option names.
const LAST: [&str; 8] = ["cp", "install", "ln", "link", "rsync", "scp", "copy", "xcopy"];
/// Programs that write to what `-o` names.
const OUTPUT: [&str; 8] =
    ["sort", "iconv", "pandoc", "gcc", "openssl", "gpg", "base64", "envsubst"];

impl Walk {
    /// Looks at one command with its name, arguments and inputs.
    pub(super) fn run(&mut self, words: &[String], inputs: &[String]) {
        let started = launchers::innermost(words);
        let Some((first, args)) = started.split_first() else { return };
        let name = launchers::name(first);
        if let Some(paths) = powershell::targets(&name, args) {
            let whole = args.iter().any(|arg| arg.to_lowercase().starts_with("-rec"));
            self.remove_all(paths, whole);
            return;
        }
        let removes = ALL.contains(&name.as_str());
        if removes && words.iter().any(|word| launchers::name(word) == "xargs") {
            self.handed_on();
        }
        match name.as_str() {
            "cd" | "pushd" | "chdir" | "set-location" | "push-location" | "sl" => {
                let folder = operands(args).next().unwrap_or("~").to_owned();
                self.enter(&folder);
            }
            "export" | "declare" | "local" | "readonly" | "typeset" | "for" => {
                self.remember(&name, args);
            }
            "eval" | "invoke-expression" | "iex" => self.script(&args.join(" ")),
            "sh" | "bash" | "zsh" | "dash" | "ksh" | "fish" | "ash" => self.shell(args, inputs),
            "powershell" | "pwsh" => self.powershell(args),
            "cmd" => self.subscript(&behind_switches(args).join(" "), Dialect::PowerShell),
            "git" => self.git(args, inputs),
            "find" => self.find(args),
            "patch" | "apply_patch" => self.patch(args, inputs),
            "rm" | "trash" | "rimraf" | "del" => {
                let whole = name != "rm"
                    || has_letter(args, 'r')
                    || has_letter(args, 'R')
                    || args.iter().any(|arg| arg == "--recursive");
                self.remove_all(operands(args).collect(), whole);
            }
            "mv" => self.r#move(args),
            _ if removes => self.write_all(operands(args).collect()),
            _ if LAST.contains(&name.as_str()) => self.copy(args),
            _ => self.run_filter(&name, args, inputs),
        }
    }

    /// Programs that write only with certain options, and interpreters.
    fn run_filter(&mut self, name: &str, args: &[String], inputs: &[String]) {
        match name {
            "dd" => self.write_all(args.iter().filter_map(|arg| arg.strip_prefix("of=")).collect()),
            "sed" | "gsed" => self.sed(args),
            "awk" | "gawk" | "mawk" | "nawk" => self.awk(args),
            "yq" if has_letter(args, 'i') || args.iter().any(|arg| arg == "--inplace") => {
                self.write_all(operands(args).skip(1).collect());
            }
            "tar" | "bsdtar" => self.tar(args),
            "unzip" => self.write_all(values(args, &["-d"])),
            "curl" => {
                self.write_all(values(args, &["-o", "--output", "--output-dir"]));
                if has_letter(args, 'O') || args.iter().any(|arg| arg == "--remote-name") {
                    self.download(args);
                }
            }
            "wget" => {
                let named = values(args, &["-O", "--output-document", "-P", "--directory-prefix"]);
                if named.is_empty() {
                    self.download(args);
                }
                self.write_all(named);
            }
            _ if OUTPUT.contains(&name) => {
                self.write_all(values(args, &["-o", "-out", "--output"]));
            }
            _ if is_interpreter(name) => self.interpreter(name, args, inputs),
            _ => {}
        }
    }

    pub(super) fn write_all(&mut self, paths: Vec<&str>) {
        for path in paths {
            self.write_to(path);
        }
    }

    fn remove_all(&mut self, paths: Vec<&str>, whole: bool) {
        for path in paths {
            if whole {
                self.take_away(path);
            } else {
                self.write_to(path);
            }
        }
    }

    /// What is moved is taken away; where it goes is only written to.
    fn r#move(&mut self, args: &[String]) {
        let folders = values(args, &["-t", "--target-directory"]);
        let mut moved: Vec<&str> = operands(args).collect();
        let to = if folders.is_empty() { moved.pop().into_iter().collect() } else { folders };
        self.remove_all(moved, true);
        self.write_all(to);
    }

    /// Names that come through a pipe: those of the folder itself, or those that the command before
    /// was told.
    fn handed_on(&mut self) {
        self.write_to("*");
        for word in self.before.clone().iter().skip(1).filter(|word| !word.starts_with('-')) {
            self.write_to(word);
        }
    }

    fn remember(&mut self, name: &str, args: &[String]) {
        if name == "for" {
            // The variable of a loop stands for its first word.
            if let [variable, _in, first, ..] = args {
                self.variables.set(variable, first.clone());
            }
            return;
        }
        for (name, value) in args.iter().filter_map(|arg| super::variables::assignment(arg)) {
            self.variables.set(name, value.to_owned());
        }
    }

    /// `sh -c SCRIPT`, and scripts handed in as a here-document.
    fn shell(&mut self, args: &[String], inputs: &[String]) {
        let given = args.iter().position(|arg| cluster(arg).is_some_and(|c| c.contains('c')));
        match given.and_then(|n| args.get(n + 1)) {
            Some(script) => self.subscript(script, Dialect::Posix),
            None => inputs.iter().for_each(|script| self.subscript(script, Dialect::Posix)),
        }
    }

    fn powershell(&mut self, args: &[String]) {
        let given = args.iter().position(|arg| {
            let arg = arg.to_lowercase();
            arg.len() > 1 && "-command".starts_with(&arg)
        });
        let from = given.map_or(0, |n| n + 1);
        self.subscript(&args[from..].join(" "), Dialect::PowerShell);
    }

    fn git(&mut self, args: &[String], inputs: &[String]) {
        let folder = self.folder.clone();
        let mut options = args.iter().take_while(|arg| arg.starts_with('-'));
        let given = options.position(|arg| arg == "-C");
        if let Some(moved) = given.and_then(|n| args.get(n + 1)) {
            self.enter(moved);
        }
        if let Some((command, args)) =
            behind_options(args, &["-C", "-c", "--git-dir"]).split_first()
        {
            match command.as_str() {
                "checkout" | "restore" | "rm" | "mv" | "clean" => {
                    self.write_all(operands(args).collect());
                }
                "apply" | "am" => self.patches(inputs),
                "show" | "diff" | "log" | "archive" | "format-patch" => {
                    self.write_all(values(args, &["-o", "--output"]));
                }
                _ => {}
            }
        }
        self.folder = folder;
    }

    fn patch(&mut self, args: &[String], inputs: &[String]) {
        self.write_all(operands(args).filter(|arg| !arg.contains('\n')).take(1).collect());
        self.write_all(values(args, &["-o", "--output"]));
        self.patches(args);
        self.patches(inputs);
    }

    /// The files that patches name.
    fn patches(&mut self, patches: &[String]) {
        let mut named = Vec::new();
        for patch in patches {
            tools::patched(patch, &mut named);
        }
        for path in &named {
            self.write_to(path);
        }
    }

    /// `find … -delete` and `find … -exec WRITER`.
    fn find(&mut self, args: &[String]) {
        let removes = args.iter().enumerate().any(|(n, arg)| match arg.as_str() {
            "-delete" => true,
            "-exec" | "-execdir" | "-ok" => args.get(n + 1).is_some_and(|program| {
                let name = launchers::name(program);
                ALL.contains(&name.as_str())
                    || matches!(name.as_str(), "sh" | "bash" | "sed" | "perl")
            }),
            _ => false,
        });
        self.write_all(values(args, &["-fprint", "-fls"]));
        if removes {
            let starts = args.iter().take_while(|arg| !arg.starts_with(['-', '(', '!']));
            let named = values(args, &["-name", "-iname", "-path", "-wholename"]);
            self.remove_all(starts.map(String::as_str).collect(), named.is_empty());
            self.write_all(named);
        }
    }

    /// Copies: the last operand, or the folder that an option names.
    fn copy(&mut self, args: &[String]) {
        let folders = values(args, &["-t", "--target-directory"]);
        if folders.is_empty() {
            let last = operands(args).last();
            self.write_all(last.into_iter().collect());
        } else {
            self.write_all(folders);
        }
    }

    fn sed(&mut self, args: &[String]) {
        let long = |arg: &String| arg.starts_with("--in-place");
        if !args.iter().any(long) && !has_letter(args, 'i') {
            return;
        }
        let scripts = ["-e", "-f", "--expression", "--file"];
        let given = args.iter().any(|arg| {
            scripts.iter().any(|option| arg == option) || arg.starts_with("--expression=")
        });
        self.write_all(
            operands_without(args, &scripts).into_iter().skip(usize::from(!given)).collect(),
        );
    }

    fn tar(&mut self, args: &[String]) {
        // The first word holds letters even without a dash.
        let letters = |letter: char| {
            has_letter(args, letter)
                || args
                    .first()
                    .is_some_and(|first| !first.starts_with('-') && first.contains(letter))
        };
        let long = |names: &[&str]| args.iter().any(|arg| names.contains(&arg.as_str()));
        if letters('x') || long(&["--extract", "--get"]) {
            let folders = values(args, &["-C", "--directory"]);
            if folders.is_empty() {
                self.write_to(".");
            }
            self.write_all(folders);
        } else if letters('c') || letters('r') || letters('u') || long(&["--create", "--append"]) {
            self.write_all(values(args, &["--file"]));
            let file = args.iter().position(|arg| arg.trim_start_matches('-').ends_with('f'));
            self.write_all(
                file.and_then(|n| args.get(n + 1)).map(String::as_str).into_iter().collect(),
            );
        }
    }

    /// A download that keeps the name at the end of its address.
    fn download(&mut self, args: &[String]) {
        let names = args.iter().filter_map(|arg| arg.split_once("://")?.1.rsplit('/').next());
        let names = names.filter_map(|name| name.split(['?', '#']).next());
        self.write_all(names.collect());
    }
}

/// The arguments behind switches such as `/c`.
fn behind_switches(args: &[String]) -> &[String] {
    let first = args.iter().position(|arg| !arg.starts_with('/')).unwrap_or(args.len());
    &args[first..]
}
