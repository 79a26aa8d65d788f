//! Telling options from operands.

/// The arguments that are no options; behind `--` all of them.
pub(super) fn operands(args: &[String]) -> impl Iterator<Item = &str> {
    let end = args.iter().position(|arg| arg == "--").unwrap_or(args.len());
    args.iter()
        .enumerate()
        .filter(move |(n, arg)| *n > end || (*n < end && (!arg.starts_with('-') || *arg == "-")))
        .map(|(_, arg)| arg.as_str())
}

/// The operands where the named options take the next argument as their value.
pub(super) fn operands_without<'a>(args: &'a [String], with_value: &[&str]) -> Vec<&'a str> {
    let mut found = Vec::new();
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        if arg == "--" {
            found.extend(rest.by_ref().map(String::as_str));
        } else if with_value.contains(&arg.as_str()) {
            rest.next();
        } else if !arg.starts_with('-') || arg == "-" {
            found.push(arg);
        }
    }
    found
}

/// Every value of an option in the forms `-o value`, `-ovalue`, `--option value`, `--option=value`.
pub(super) fn values<'a>(args: &'a [String], names: &[&str]) -> Vec<&'a str> {
    let mut found = Vec::new();
    for (n, arg) in args.iter().enumerate() {
        for name in names {
            match arg.strip_prefix(name) {
                Some("") => found.extend(args.get(n + 1).map(String::as_str)),
                Some(rest) if name.starts_with("--") => found.extend(rest.strip_prefix('=')),
                Some(rest) if !arg.starts_with("--") => found.push(rest),
                _ => {}
            }
        }
    }
    found
}

/// Whether some cluster of short options such as `-ni` holds a letter.
pub(super) fn has_letter(args: &[String], letter: char) -> bool {
    args.iter().any(|arg| cluster(arg).is_some_and(|letters| letters.contains(letter)))
}

/// The letters of a cluster of short options.
pub(super) fn cluster(arg: &str) -> Option<&str> {
    let letters = arg.strip_prefix('-')?;
    let end = letters.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(letters.len());
    (end > 0).then_some(&letters[..end])
}

/// The arguments behind the options of a program that starts another.
pub(super) fn behind_options<'a>(args: &'a [String], with_value: &[&str]) -> &'a [String] {
    let mut from = 0;
    while let Some(arg) = args.get(from) {
        if !arg.starts_with('-') || arg == "-" {
            break;
        }
        from += if with_value.contains(&arg.as_str()) { 2 } else { 1 };
        if arg == "--" {
            break;
        }
    }
    args.get(from..).unwrap_or_default()
}
