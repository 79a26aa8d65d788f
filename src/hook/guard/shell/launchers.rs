//! Words in front of the command that counts: reserved words and programs that start another.

use super::options::behind_options;
use super::variables::assignment;

/// Words of the shell that a command may stand behind.
const RESERVED: [&str; 12] =
    ["if", "then", "elif", "else", "while", "until", "do", "!", "{", "}", "time", "coproc"];

/// The command that really runs, with its name and arguments.
pub(super) fn innermost(mut words: &[String]) -> &[String] {
    while let Some(first) = words.first() {
        let rest = &words[1..];
        words = match name(first).as_str() {
            word if RESERVED.contains(&word) => behind_options(rest, &[]),
            "nohup" | "command" | "builtin" | "setsid" | "busybox" | "winpty" | "caffeinate" => {
                behind_options(rest, &[])
            }
            "exec" => behind_options(rest, &["-a"]),
            "sudo" | "doas" => {
                behind_options(rest, &["-u", "-g", "-h", "-p", "-C", "-D", "-R", "-T", "-U"])
            }
            "env" => behind_assignments(behind_options(rest, &["-u", "-C", "-S"])),
            "nice" | "ionice" => behind_options(rest, &["-n", "-c", "-p"]),
            "stdbuf" => behind_options(rest, &["-i", "-o", "-e"]),
            "timeout" => behind_options(rest, &["-s", "-k"]).get(1..).unwrap_or_default(),
            "xargs" => behind_options(
                rest,
                &["-I", "-n", "-P", "-d", "-L", "-a", "-s", "-E", "--max-args"],
            ),
            _ => return words,
        };
    }
    words
}

/// A program's name without folder and ending, in small letters.
pub(super) fn name(word: &str) -> String {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word).to_lowercase();
    name.strip_suffix(".exe").map(str::to_owned).unwrap_or(name)
}

fn behind_assignments(args: &[String]) -> &[String] {
    let first = args.iter().position(|arg| assignment(arg).is_none()).unwrap_or(args.len());
    &args[first..]
}
