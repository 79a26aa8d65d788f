//! Programs that run text of another language.

use super::Walk;
use super::code::Language;
use super::options::{cluster, operands, operands_without, values};

impl Walk {
    pub(super) fn awk(&mut self, args: &[String]) {
        let rest = operands_without(args, &["-F", "-v", "-f", "-i"]);
        if let Some(program) = rest.first() {
            let given = values(args, &["-v"]);
            let known: Vec<(&str, &str)> =
                given.iter().filter_map(|set| set.split_once('=')).collect();
            self.code(program, Language::Awk, &known);
        }
        if args.iter().any(|arg| arg == "inplace") {
            self.write_all(rest.into_iter().skip(1).collect());
        }
    }

    /// Program text on the command line or in a here-document, and editing in place.
    pub(super) fn interpreter(&mut self, name: &str, args: &[String], inputs: &[String]) {
        let letters: &[char] = match name {
            "node" | "nodejs" | "deno" | "bun" | "tsx" => &['e', 'p'],
            "perl" | "ruby" => &['e', 'E'],
            "php" => &['r'],
            _ => &['c', 'e'],
        };
        let language = match name {
            "node" | "nodejs" | "deno" | "bun" | "tsx" | "php" => Language::Script,
            _ => Language::Hash,
        };
        let takes_code = |arg: &String| {
            matches!(arg.as_str(), "--eval" | "--print" | "eval")
                || cluster(arg).is_some_and(|c| c.ends_with(letters) && !loads_module(c))
        };
        let given = args.iter().position(takes_code).and_then(|n| args.get(n + 1));
        match given {
            Some(code) => self.code(code, language, &[]),
            None => inputs.iter().for_each(|code| self.code(code, language, &[])),
        }
        let in_place =
            |arg: &String| cluster(arg).is_some_and(|c| c.contains('i') && !loads_module(c));
        if matches!(name, "perl" | "ruby") && args.iter().any(in_place) {
            let files = operands(args).skip(usize::from(given.is_some()));
            self.write_all(files.collect());
        }
    }
}

/// `-MName` and `-Ifolder` carry a name, not letters.
fn loads_module(letters: &str) -> bool {
    letters.starts_with(['M', 'm', 'I'])
}

/// Whether a program runs text of another language.
pub(super) fn is_interpreter(name: &str) -> bool {
    name.starts_with("python")
        || matches!(
            name,
            "py" | "node"
                | "nodejs"
                | "ruby"
                | "perl"
                | "php"
                | "deno"
                | "bun"
                | "osascript"
                | "lua"
                | "rscript"
                | "tsx"
                | "uv"
                | "ipython"
        )
}
