//! Lines of code: which say most.

const DEFINITIONS: [&str; 36] = [
    "pub fn ",
    "fn ",
    "pub async fn ",
    "async fn ",
    "pub struct ",
    "struct ",
    "pub enum ",
    "enum ",
    "pub trait ",
    "trait ",
    "impl ",
    "impl<",
    "def ",
    "async def ",
    "class ",
    "function ",
    "async function ",
    "export ",
    "interface ",
    "type ",
    "func ",
    "const ",
    "module ",
    "public ",
    "private ",
    "pub mod ",
    "mod ",
    "create ",
    "alter ",
    "@app.",
    "@router.",
    "resource ",
    "## ",
    "# ",
    "describe(",
    "test(",
];

const ASIDES: [&str; 14] = [
    "//", "/*", "*", "#!", "<!--", "--", "\"\"\"", "use ", "import ", "from ", "require",
    "#include", "package ", "pub use ",
];

/// Whether a line defines something: a function, a type, a table, a section.
pub(super) fn is_definition(line: &str) -> bool {
    let line = line.trim_start();
    let start = afterword_domain::text::prefix(line, 16).to_ascii_lowercase();
    DEFINITIONS.iter().any(|word| start.starts_with(word))
}

/// Whether a line is an import, a comment or another line that tells little.
pub(super) fn is_aside(line: &str) -> bool {
    let line = line.trim_start();
    ASIDES.iter().any(|word| line.starts_with(word))
        || (line.starts_with('"') && line.ends_with('"'))
}
