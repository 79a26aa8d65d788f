//! Commands of PowerShell that write files.

/// Parameters whose value is a path.
const PATHS: [&str; 8] =
    ["path", "literalpath", "filepath", "pspath", "lp", "destination", "newname", "name"];
/// Parameters whose value is anything else.
const VALUES: [&str; 13] = [
    "value",
    "inputobject",
    "encoding",
    "itemtype",
    "type",
    "erroraction",
    "ea",
    "filter",
    "include",
    "exclude",
    "width",
    "stream",
    "delimiter",
];

/// The paths a command writes to; none when it is no command that writes.
pub(super) fn targets<'a>(name: &str, args: &'a [String]) -> Option<Vec<&'a str>> {
    let (positions, reads_path) = match name {
        "set-content" | "add-content" | "out-file" | "clear-content" | "new-item"
        | "tee-object" | "sc" | "ac" | "clc" | "ni" | "export-csv" | "export-clixml" => {
            (0..1, false)
        }
        "remove-item" | "move-item" | "rename-item" | "ri" | "mi" | "rni" | "move" | "ren"
        | "del" | "erase" | "rd" | "md" => (0..usize::MAX, false),
        "copy-item" | "cpi" | "copy" => (1..2, true),
        _ => return None,
    };
    let mut found = Vec::new();
    let mut position = 0;
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let Some(parameter) = arg.strip_prefix('-') else {
            if positions.contains(&position) {
                found.push(arg.as_str());
            }
            position += 1;
            continue;
        };
        let (parameter, inline) = match parameter.split_once(':') {
            Some((parameter, value)) => (parameter.to_lowercase(), Some(value)),
            None => (parameter.to_lowercase(), None),
        };
        let mut value = || inline.or_else(|| rest.next().map(String::as_str));
        if PATHS.contains(&parameter.as_str()) {
            let path = value();
            // The path of a copy is what it reads.
            if !reads_path || parameter == "destination" {
                found.extend(path);
            } else {
                position += 1;
            }
        } else if VALUES.contains(&parameter.as_str()) {
            value();
        }
    }
    Some(found.iter().flat_map(|paths| paths.split(',')).map(str::trim).collect())
}
