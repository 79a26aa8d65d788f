//! What a command line is: noise, a check, a deed worth telling, and which runs are the same.

use std::collections::HashSet;
use std::sync::LazyLock;

use afterword_domain::text::{cut_chars, one_line};

use super::check::Check;

type WordSet = LazyLock<HashSet<&'static str>>;

/// Programs that only look or move: never worth a row.
static NOISE: WordSet = LazyLock::new(|| {
    set(
        "ls cd pwd echo cat head tail grep egrep rg ag find fd wc which type test [ [[ sleep true false tree mkdir touch \
printf env date whoami ps stat file less more export source . set unset read sort uniq cut tr awk sed jq diff cmp du df history clear man \
xxd od basename dirname realpath readlink id uname hostname lsof pgrep kill pkill killall wait alias for while if do done then fi else chmod \
cp mv rm ln tee open code cmd.exe dir hexdump strings",
    )
});

/// Programs whose first word after them says what they do.
static WITH_VERB: WordSet = LazyLock::new(|| {
    set(
        "cargo npm pnpm yarn bun go git docker docker-compose kubectl helm terraform gh uv poetry pip pip3 bundle rails \
gradle ./gradlew mvn dotnet mix deno mise just task make bazel alembic prisma systemctl aws gcloud az fly vercel wrangler flutter swift composer \
php sqlx diesel cdk pulumi heroku brew apt apt-get",
    )
});

/// Interpreters whose first argument is the program.
static INTERPRETERS: WordSet = LazyLock::new(|| {
    set("python python3 node ruby perl bash sh zsh npx bunx uvx deno tsx ts-node php")
});

/// Programs whose every run is worth telling.
static DEEDS: WordSet = LazyLock::new(|| {
    set(
        "cargo pytest jest vitest mocha make cmake ninja docker docker-compose kubectl helm terraform alembic prisma rails gradle \
./gradlew mvn dotnet mix tsc eslint ruff mypy pyright golangci-lint flyway sqlx diesel systemctl bazel just task fly vercel wrangler cdk pulumi heroku \
tox nox playwright cypress rspec phpunit ctest swift flutter",
    )
});

/// Verbs of version control that change something.
static GIT_DEEDS: WordSet =
    LazyLock::new(|| set("commit push merge rebase revert tag cherry-pick reset"));

/// Words that make a script or a sub-command a check.
static CHECKS: WordSet = LazyLock::new(|| {
    set(
        "test tests build check lint clippy typecheck vet pytest unittest jest vitest mocha tsc mypy ruff eslint rspec phpunit ctest tox nox \
make ninja cmake e2e verify compile bench nextest",
    )
});

/// A command line, read far enough to tell what it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::distill) struct Command {
    /// Program and verb of each telling part: equal for runs of the same thing. Empty for noise.
    pub(in crate::distill) keys: Vec<String>,
    /// The telling parts of the line, on one line, cut.
    pub(in crate::distill) label: String,
    /// What its parts check, in order.
    pub(in crate::distill) checks: Vec<Check>,
    deed: bool,
    program: bool,
}

impl Command {
    /// Reads a command line; of a chain the deeds count, and without one the first that is no noise.
    pub(in crate::distill) fn parse(line: &str) -> Self {
        let line = line.replace("\\\n", " ");
        let all: Vec<Simple<'_>> = segments(&line).into_iter().filter_map(Simple::parse).collect();
        let deed = all.iter().any(Simple::is_deed);
        let mut told: Vec<&Simple<'_>> = all.iter().filter(|s| s.is_deed()).collect();
        if !deed {
            told = all.iter().filter(|s| !s.is_noise()).take(1).collect();
        }
        let labels: Vec<String> = told.iter().take(4).map(|s| s.label()).collect();
        Self {
            label: cut_chars(&labels.join(" && "), 90),
            checks: told.iter().filter(|s| s.is_check()).map(|s| s.check()).collect(),
            program: told.iter().any(|s| s.is_program()),
            keys: told.into_iter().map(|s| s.key.clone()).collect(),
            deed,
        }
    }

    /// Whether it only looks around.
    pub(in crate::distill) fn is_noise(&self) -> bool {
        self.keys.is_empty()
    }

    /// Whether its run is a fact: a test, a build, a deployment, a commit.
    pub(in crate::distill) const fn is_deed(&self) -> bool {
        self.deed
    }

    /// Whether it tests or builds, so that its output tells of failures.
    pub(in crate::distill) fn is_check(&self) -> bool {
        !self.checks.is_empty()
    }

    /// Whether its failure may matter to the work: a deed, or a program of the project.
    pub(in crate::distill) const fn may_matter(&self) -> bool {
        self.deed || self.program
    }
}

/// One program with its words.
struct Simple<'a> {
    key: String,
    program: &'a str,
    verb: String,
    words: Vec<&'a str>,
    segment: &'a str,
}

impl<'a> Simple<'a> {
    fn parse(segment: &'a str) -> Option<Self> {
        let mut words = words_of(segment);
        words.retain(|w| !is_redirection(w));
        let first = *words.first()?;
        if !first
            .starts_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '/' | '~' | '_' | '['))
        {
            return None;
        }
        let program = base_name(first);
        if program == "git" && words.get(1) == Some(&"-C") && words.len() > 3 {
            words.drain(1..3);
        }
        let rest = &words[1..];
        let mut args =
            rest.iter().copied().filter(|w| !w.starts_with(['-', '+']) && !w.contains('='));
        let mut verb = String::new();
        let interpreter = is_in(&INTERPRETERS, program);
        if interpreter || is_in(&WITH_VERB, program) {
            let module = rest.iter().position(|w| *w == "-m").filter(|_| interpreter);
            let module = module.and_then(|at| rest.get(at + 1)).copied();
            let first = module.or_else(|| args.next()).unwrap_or_default();
            base_name(first.trim_matches(['"', '\''])).clone_into(&mut verb);
            if matches!(first, "run" | "exec" | "compose" | "pr" | "release") {
                let next = args.next().unwrap_or_default();
                format!("{first} {next}").trim().clone_into(&mut verb);
            }
        }
        let key = format!("{program} {verb}").trim().to_owned();
        Some(Self { key, program, verb, words, segment })
    }

    fn label(&self) -> String {
        if self.key == "git commit" {
            return commit_label(self.segment);
        }
        cut_chars(&self.words.join(" "), 80)
    }

    fn is_noise(&self) -> bool {
        is_in(&NOISE, self.program) || (self.program == "git" && !is_in(&GIT_DEEDS, &self.verb))
    }

    fn is_deed(&self) -> bool {
        let verb = self.verb.as_str();
        match self.program {
            "git" => is_in(&GIT_DEEDS, verb),
            "cargo" => !matches!(verb, "" | "fmt" | "metadata" | "tree" | "search"),
            "docker" | "kubectl" | "systemctl" => !matches!(
                verb,
                "ps" | "logs" | "images" | "get" | "describe" | "status" | "inspect"
            ),
            "gh" => ["create", "merge", "close"].iter().any(|v| self.words.contains(v)),
            "npm" | "pnpm" | "yarn" | "bun" | "pip" | "pip3" | "uv" | "poetry" | "go"
            | "bundle" | "mise" | "deno" => !matches!(
                verb,
                "" | "ls"
                    | "list"
                    | "why"
                    | "view"
                    | "fmt"
                    | "version"
                    | "env"
                    | "run"
                    | "show"
                    | "run fmt"
            ),
            _ if matches!(verb, "fmt" | "format") => false,
            program => {
                let ships = |word: &str| word.contains("migrat") || word.contains("deploy");
                is_in(&DEEDS, program) || self.is_check() || ships(verb) || ships(program)
            }
        }
    }

    fn check(&self) -> Check {
        Check::of(self.program, &self.verb, &self.words)
    }

    /// Runs something of the project: a script, a program that was built here.
    fn is_program(&self) -> bool {
        let first = self.words.first().copied().unwrap_or_default();
        first.starts_with("./") || (is_in(&INTERPRETERS, self.program) && !self.verb.is_empty())
    }

    fn is_check(&self) -> bool {
        is_in(&CHECKS, self.program)
            || self.verb.split([' ', ':', '.', '-', '_']).any(|word| is_in(&CHECKS, word))
    }
}

/// `2>&1`, `>out.txt`, `</dev/null`, `&`
fn is_redirection(word: &str) -> bool {
    let bare = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '&');
    bare.starts_with(['>', '<']) || word == "&" || word == "/dev/null"
}

/// `git commit` with the subject of its message.
fn commit_label(segment: &str) -> String {
    let subject = match segment.find("<<") {
        Some(at) => segment[at..].lines().nth(1).unwrap_or_default().trim(),
        None => quoted_after(segment, " -m")
            .or_else(|| quoted_after(segment, " -am"))
            .unwrap_or_default(),
    };
    if subject.is_empty() {
        "git commit".to_owned()
    } else {
        format!("git commit \"{}\"", cut_chars(&one_line(subject), 70))
    }
}

fn quoted_after<'a>(text: &'a str, flag: &str) -> Option<&'a str> {
    let rest = &text[text.find(flag)? + flag.len()..];
    let quote = rest.trim_start().chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let body = rest.trim_start().strip_prefix(quote)?;
    Some(body.split([quote, '\n']).next().unwrap_or_default().trim())
}

/// The simple commands of a line, split at `&&`, `||`, `;`, `|` and line ends outside quotes.
///
/// What stands in a here-document belongs to its command.
pub(in crate::distill) fn segments(line: &str) -> Vec<&str> {
    let bytes = line.as_bytes();
    let mut out = Vec::new();
    let (mut start, mut i) = (0, 0);
    let mut quote = 0u8;
    while i < bytes.len() && out.len() < 20 {
        let b = bytes[i];
        if quote != 0 {
            if b == b'\\' {
                i += 1;
            } else if b == quote {
                quote = 0;
            }
        } else if b == b'"' || b == b'\'' {
            quote = b;
        } else if b == b'<' && bytes.get(i + 1) == Some(&b'<') {
            break;
        } else if matches!(b, b';' | b'|' | b'\n') || (b == b'&' && bytes.get(i + 1) == Some(&b'&'))
        {
            out.push(line[start..i].trim());
            if bytes.get(i + 1) == Some(&b) {
                i += 1;
            }
            start = i + 1;
        }
        i += 1;
    }
    out.push(line[start.min(line.len())..].trim());
    out.retain(|s| !s.is_empty() && !s.starts_with('#'));
    out
}

/// The words of a simple command without assignments and wrappers in front.
pub(in crate::distill) fn words_of(segment: &str) -> Vec<&str> {
    let mut words: Vec<&str> = segment.split_whitespace().take(60).collect();
    loop {
        let Some(first) = words.first().copied() else { return words };
        let assignment = first.contains('=') && !first.starts_with(['-', '/', '.', '"']);
        // A quoted value may hold blanks.
        if let Some((_, value)) = first.split_once('=').filter(|_| assignment)
            && let Some(quote) = value.chars().next().filter(|c| matches!(c, '"' | '\''))
            && !(value.len() > 1 && value.ends_with(quote))
        {
            let end = words.iter().skip(1).position(|w| w.ends_with(quote));
            words.drain(..end.map_or(words.len(), |at| at + 2));
            continue;
        }
        let wrapper =
            matches!(first, "sudo" | "time" | "nohup" | "exec" | "command" | "(" | "{" | "!" | "&");
        let timeout = first == "timeout";
        if !(assignment || wrapper || timeout) {
            return words;
        }
        words.remove(0);
        if timeout {
            while words
                .first()
                .is_some_and(|w| w.starts_with('-') || w.starts_with(|c: char| c.is_ascii_digit()))
            {
                words.remove(0);
            }
        }
    }
}

fn base_name(program: &str) -> &str {
    if program.starts_with("./gradlew") {
        return program;
    }
    program.rsplit('/').next().unwrap_or(program)
}

fn set(words: &'static str) -> HashSet<&'static str> {
    words.split_whitespace().collect()
}

fn is_in(set: &HashSet<&'static str>, word: &str) -> bool {
    set.contains(word)
}
