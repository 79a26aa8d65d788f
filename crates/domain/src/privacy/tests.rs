use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::cost::is_linear;

const CANARY: &str = "canary7316";

#[test]
fn f1_every_spelling_of_a_private_mark_hides_its_text() {
    for text in [
        "a <private>canary7316</private> b",
        "a <PRIVATE>canary7316</Private> b",
        "a < private >canary7316</ private > b",
        "a <private >canary7316</private > b",
        "a <\tprivate\n>canary7316< / private > b",
        "a <private reason=\"x\">canary7316</private> b",
        "a <private reason='a > b'>canary7316</private> b",
        "a <private reason=\"</private>\">canary7316</private> b",
        "a < private reason=\"x\" >canary7316</private> b",
        "a <private note>canary7316</private> b",
        "a <private><private>x</private>canary7316</private> b",
        "a ＜private＞canary7316＜/private＞ b",
        "a ＜ｐｒｉｖａｔｅ＞canary7316＜／ＰＲＩＶＡＴＥ＞ b",
        "a <pri\u{200b}vate>canary7316</p\u{feff}rivate> b",
        "a <\u{200d}private\u{ad}>canary7316</private> b",
        "a <pri\0vate>canary7316</private> b",
        "a <afterword-context project=\"x\">canary7316</afterword-context> b",
        "a <claude-mem-context>canary7316</claude-mem-context> b",
        "a <system-reminder>canary7316</system-reminder> b",
        "a <System_Reminder>canary7316</system_reminder> b",
        "a <system-instruction>canary7316</system-instruction> b",
        "a <system_instruction>canary7316</system_instruction> b",
        "a <persisted-output>canary7316</persisted-output> b",
        "a <hook_context>canary7316</hook_context> b",
        "a <qwen:user-prompt-submit-context>canary7316</qwen:user-prompt-submit-context> b",
    ] {
        assert_eq!(clean(text), "a  b", "{text}");
    }
}

#[test]
fn f1_an_open_private_mark_drops_the_rest_and_keeps_the_start() {
    for text in [
        "kept <private>canary7316",
        "kept <private>canary7316</privat>",
        "kept <private>canary7316</private",
        "kept <private>canary7316</private x>",
        "kept <private>x<private>y</private>canary7316",
        "kept <private>canary7316</system-reminder></afterword-context>",
        "kept <private canary7316",
        "kept <private <b>canary7316</b>",
        "kept <private/>canary7316",
        "kept <private\\n>canary7316",
        "kept <private reason=\"canary7316",
        "kept <afterword-context>canary7316",
        "kept <claude-mem-context>canary7316",
        "kept <private>",
        "kept <private",
    ] {
        assert_eq!(clean(text), "kept ", "{text}");
    }
}

#[test]
fn f1_halves_that_removal_joins_are_removed_too() {
    let joined = clean("a <pri<private>x</private>vate>canary7316</private> b");
    assert!(!joined.contains(CANARY) && joined.starts_with("a "), "{joined}");
    let mut text = "<private>canary7316".to_owned();
    for _ in 0..30 {
        text = text.replacen("<pri", "<pr<private></private>i", 1);
    }
    assert!(!clean(&text).contains(CANARY));
}

#[test]
fn f1_an_end_without_its_beginning_hides_what_came_before() {
    for (text, left) in [
        ("canary7316 inside</private> rest", " rest"),
        ("<private>x</private> canary7316</private> rest", " rest"),
        ("vis <pri\nvate>canary7316</private> end", "vis  end"),
        ("vis <pri vate >canary7316</pri vate> end", "vis  end"),
        ("vis <prıvate>canary7316</prıvate> end", "vis  end"),
        ("vis <рrіvаtе>canary7316</private> end", "vis  end"),
        ("a < pri and b", "a < pri and b"),
    ] {
        assert_eq!(clean(text), left, "{text}");
    }
}

#[test]
fn f5_keys_of_more_makers_and_addresses_that_are_keys_are_hidden() {
    for text in [
        "AccountKey=CANARYkey5678abcDEF90/+==;EndpointSuffix=core",
        "curl https://hooks.slack.com/services/T0CANARY1/B0CANARY2/CANARYx9y8z7",
        "https://discord.com/api/webhooks/1234/CANARYabcdef",
        "SG.CANARYabcdef0123456789.CANARYghijkl9876",
        "ya29.a0CANARYabcdef0123456789",
        "LTAI5tCANARY0123456789",
        "GOCSPX-CANARY0123456789abcdef",
        "MTk4CANARY0123456789abcd.Gabcde.CANARY0123456789abcdefghijklm",
        "https://x.blob.core.windows.net/c?sv=1&sig=CANARY0123456789abcdef%3D&se=2",
    ] {
        let left = clean(text);
        assert!(!left.contains("CANARY"), "{left}");
    }
    for text in ["SG.b is the site", "ya29.html", "see ?sig=short", "discord.com/api/webhooks/"] {
        assert_eq!(clean(text), text);
    }
}

#[test]
fn f9_an_open_host_mark_never_swallows_what_follows() {
    for (text, left) in [
        ("a <system-reminder>b", "a b"),
        ("a <persisted-output> b <hook_context> c", "a  b  c"),
        ("a <system-reminder>x <persisted-output>gone</persisted-output> c", "a x  c"),
        ("<system-reminder>a<system-reminder>gone</system-reminder>b", "ab"),
        ("a <system-reminder>b</persisted-output>c", "a bc"),
        ("a </hook_context> b </system-reminder> c", "a  b  c"),
        ("a <system-reminder attr", "a <system-reminder attr"),
        ("a <system-reminder> b <private>canary7316</system-reminder> c", "a  b "),
        ("<system-reminder>x<private>y</system-reminder>z</private>q</system-reminder>end", "end"),
        ("<private>x<system-reminder>y</private>z</system-reminder>", "z"),
    ] {
        assert_eq!(clean(text), left, "{text}");
    }
}

#[test]
fn ordinary_text_stays_byte_for_byte() {
    for text in [
        "",
        "plain",
        "<privateer>",
        "a < private",
        "a < private && b > c",
        "if a < private and b > c",
        "a < private x > b",
        "<private-key>",
        "<private_key>",
        "</private-key>",
        "<my-private>x</my-private>",
        "Vec<private::Foo>",
        "private",
        "1 < 2 > 3 ＜ 4",
        "<b>bold</b>",
        "<system-reminders>",
        "<task-notification>x</task-notification>",
    ] {
        assert_eq!(clean(text), text);
    }
}

#[test]
fn after_a_hundred_marks_the_rest_of_the_field_is_dropped() {
    let hundred = "<private>x</private>.".repeat(50);
    assert_eq!(clean(&format!("{hundred}end")), format!("{}end", ".".repeat(50)));
    assert_eq!(clean(&format!("{hundred}kept<private>x</private>canary7316")), {
        format!("{}kept", ".".repeat(50))
    });
}

#[test]
fn a_prompt_of_private_text_alone_is_private() {
    let prompt = |text| clean_prompt(text);
    assert!(prompt("<private>all of it</private>").private);
    assert!(prompt(" \n<private>x</private>\t<private>y").private);
    assert!(prompt("<private>x</private>\u{200b}").private);
    assert_eq!(
        prompt("fix <private>x</private> it"),
        Cleaned { text: "fix  it".to_owned(), private: false }
    );
    assert!(!prompt("").private);
    assert!(!prompt("   ").private);
    assert!(!prompt("<system-reminder>x</system-reminder>").private);
    assert!(prompt("</private>").private);
    assert!(prompt("<system-reminder><private>x</private></system-reminder>").private);
}

#[test]
fn f5_secrets_are_masked_where_they_stand() {
    let key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow+/=\nabc\n-----END RSA PRIVATE KEY-----";
    for (text, masked) in [
        ("id AKIAIOSFODNN7EXAMPLE.", "id [redacted]."),
        ("ASIAIOSFODNN7EXAMPLE", "[redacted]"),
        (
            "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\n",
            "aws_secret_access_key = [redacted]\n",
        ),
        ("x ghp_abcdefghijklmnopqrstuvwxyz0123456789 y", "x [redacted] y"),
        ("gho_abcdefghijklmnopqrstuvwxyz0123456789", "[redacted]"),
        ("awt_nu2nzhqjchfe6bihog5snj5dx4ab5atvdsaohy2cbga6hbhhnkeqlorlls", "[redacted]"),
        ("github_pat_11ABCDEFG0aBcDeFgHiJkL_mNoPqRsTuVwXyZ", "[redacted]"),
        ("glpat-abcdefghij0123456789", "[redacted]"),
        ("xoxb-123456789012-abcdefghijkl", "[redacted]"),
        ("sk-ant-api03-abcdefghijklmnopqrstuv", "[redacted]"),
        ("sk-proj-abcDEF123456_abcDEF-123456", "[redacted]"),
        ("sk-abcdefghijklmnopqrst0123456789", "[redacted]"),
        ("AIzaSyA1234567890abcdefghijklmnopqrstuv", "[redacted]"),
        ("npm_abcdefghijklmnopqrstuvwxyz0123456789", "[redacted]"),
        ("pypi-AgEIcHlwaS5vcmcCJDAwMDAwMDAw", "[redacted]"),
        ("hf_abcdefghijklmnopqrstuvwxyzABCDEFGH", "[redacted]"),
        ("jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl_-x end", "jwt [redacted] end"),
        ("\\nghp_abcdefghijklmnopqrstuvwxyz0123456789", "\\n[redacted]"),
        ("\x1b[31mghp_abcdefghijklmnopqrstuvwxyz0123456789", "\x1b[31m[redacted]"),
        ("postgres://u:p@h/db", "postgres://u:[redacted]@h/db"),
        ("redis://:hunter2@h:6379", "redis://:[redacted]@h:6379"),
        ("https://a:p@ss:w@host/x?y", "https://a:[redacted]@host/x?y"),
        ("-H 'Authorization: Bearer abc123def'", "-H 'Authorization: Bearer [redacted]'"),
        ("authorization: Basic dXNlcjpwYXNz\r\n", "authorization: Basic [redacted]\r\n"),
        ("{\"Authorization\": \"token abcdef12\"}", "{\"Authorization\": \"token [redacted]\"}"),
        ("used Bearer abcdefgh12345678 there", "used Bearer [redacted] there"),
        ("mysql --password xxx1 -h db", "mysql --password [redacted] -h db"),
        ("cli --token=abc-def run", "cli --token=[redacted] run"),
        ("cli --api-key 'a b c' run", "cli --api-key '[redacted]' run"),
        ("curl -u dev:hunter2 https://h", "curl -u dev:[redacted] https://h"),
        ("mysql -uroot -phunter2 db", "mysql -uroot -p[redacted] db"),
        ("mysqldump -p'hun ter2' db", "mysqldump -p'[redacted]' db"),
        ("sshpass -p hunter2 ssh -p 22 h", "sshpass -p [redacted] ssh -p 22 h"),
        ("docker login -u dev -p hunter2 r.io", "docker login -u dev -p [redacted] r.io"),
        ("redis-cli -h x -a hunter2 ping", "redis-cli -h x -a [redacted] ping"),
        (
            "curl \\\n  -u dev:hunter2 \\\n  https://h",
            "curl \\\n  -u dev:[redacted] \\\n  https://h",
        ),
        ("curl -H 'X-Api-Key: a b' h", "curl -H 'X-Api-Key: [redacted]' h"),
        ("curl -H \"PRIVATE-TOKEN: abc\" h", "curl -H \"PRIVATE-TOKEN: [redacted]\" h"),
        (
            "wget --header='X-Goog-Auth-User: abc' h",
            "wget --header='X-Goog-Auth-User: [redacted]' h",
        ),
        ("curl -HX-Auth-Token:abc h", "curl -HX-Auth-Token:[redacted] h"),
        ("curl -H 'Cookie: sid=abc; b=1' h", "curl -H 'Cookie: [redacted]' h"),
        ("< Set-Cookie: sid=abc; Path=/\r\n", "< Set-Cookie: [redacted]\r\n"),
        ("openssl rsa -passin pass:hunter2 -in k", "openssl rsa -passin [redacted] -in k"),
        ("DBPASS=hunter2", "DBPASS=[redacted]"),
        ("export DB_PASSWORD=hunter2", "export DB_PASSWORD=[redacted]"),
        ("GITHUB_TOKEN='a b c d'", "GITHUB_TOKEN='[redacted]'"),
        ("A=1\nMY_API_KEY=abcdef==\nB=2", "A=1\nMY_API_KEY=[redacted]\nB=2"),
        ("docker run -e SECRET=s3cr3tvalue img", "docker run -e SECRET=[redacted] img"),
        ("{\"api_key\": \"abcdefgh\"}", "{\"api_key\": \"[redacted]\"}"),
        ("{\\\"api_key\\\": \\\"abcdefgh\\\"}", "{\\\"api_key\\\": \\\"[redacted]\\\"}"),
        ("const apiKey = \"abcdefgh\";", "const apiKey = \"[redacted]\";"),
        ("  password: hunter2hunter2\n", "  password: [redacted]\n"),
        ("https://h/cb?access_token=abc12345&x=1", "https://h/cb?access_token=[redacted]&x=1"),
    ] {
        assert_eq!(clean(text), masked);
    }
    assert_eq!(clean(&format!("a {key} b")), "a [redacted] b");
    assert_eq!(clean(&format!("\"{}\"", key.replace('\n', "\\n"))), "\"[redacted]\"");
    let cut = &key[..50];
    assert_eq!(clean(&format!("a {cut}\" b")), "a [redacted]\" b");
    let public = key.replace("RSA PRIVATE KEY", "CERTIFICATE");
    assert_eq!(clean(&public), public);
}

#[test]
fn f5_program_text_and_blanks_to_fill_in_are_left_alone() {
    for text in [
        "let token = self.next();",
        "token = self.next()",
        "let token: Token = lexer.token;",
        "TOKEN=$TOKEN",
        "API_KEY=${API_KEY}",
        "API_KEY=<your key>",
        "PASSWORD=$(pass show db)",
        "API_KEY = os.environ[\"API_KEY\"]",
        "apiKey: process.env.API_KEY,",
        "password: string;",
        "if token == other {",
        "token::Kind",
        "MAX_TOKENS=4096",
        "TOKEN=4096",
        "TOKEN_FILE=/run/secrets/token",
        "GOOGLE_APPLICATION_CREDENTIALS=/etc/key.json",
        "{\"next_token\": \"abcdefgh12345\"}",
        "\"token\": \"a b c d e f\"",
        "--password-stdin",
        "use --token to pass it",
        "the --password option",
        "cli --token $TOKEN",
        "mkdir -p a/b && ssh -p 22 h",
        "mysql -p",
        "mysql -p db -P 3306",
        "mysql -p$PASS db",
        "docker run -p 8080:80 img",
        "curl -H 'Accept: text/html' h",
        "curl -H \"X-Api-Key: $KEY\" h",
        "a cookie: it is sweet",
        "BYPASS=always1",
        "Authorization: Bearer $TOKEN",
        "Authorization: Bearer <token>",
        "bearer of bad tidings indeed",
        "https://host:8080/path@x",
        "ssh://git@host/repo",
        "git@github.com:a/b",
        "https://user:${PASS}@host",
        "task-1234567890abcdefgh",
        "sk-fading-cube-animation",
        "hf_hub_download",
        "npm_config_registry_something_long_name",
        "AKIA",
        "ghp_short",
        "eyJhb.c.d",
        "docker run -u 1000:1000 img",
        "password",
        "[redacted]",
        "KEY_PASSWORD=[redacted]",
        "fn secret(key: &str) -> bool",
    ] {
        assert_eq!(clean(text), text);
    }
}

#[test]
fn f4_keys_nested_members_and_arguments_are_cleaned() {
    let mut value = json!({
        "command": "echo <private>canary7316</private>",
        "nested": [{"a": ["x <private>canary7316", "after"]}],
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789": 1,
        "<private>canary7316</private>": 1,
        "<private>canary7316</private><private>x</private>": 2,
        "password": "canary7316",
        "Authorization": "Basic canary7316",
        "clientSecret": "canary7316",
        "token": "short",
        "apiKey": "${API_KEY_FROM_ENV}",
        "argv": ["login", "--password", "canary7316", "--token", "--verbose", "ok"],
        "curl": ["-H", "X-Api-Key: canary7316", "-H", "Accept: x"],
        "headers": {"X-Api-Key": "canary7316", "cookie": "a=canary7316", "Accept": "text/html"},
        "http_headers": ["X-Auth-Token: canary7316", "Accept: x"],
        "Headers": [{"name": "Cookie", "value": "a=canary7316"}],
        "env": [{"name": "DB_PASSWORD", "value": "canary7316"}, {"name": "HOST", "value": "kept"}],
        "DB_PASSWORD_PROD": "canary7316",
        "pin_password": 73_167_316,
        "number": 5, "none": null, "yes": true,
    });
    clean_value(&mut value);
    let text = value.to_string();
    assert!(!text.contains(CANARY) && !text.contains("ghp_"), "{text}");
    assert!(!text.contains("73167316"), "{text}");
    assert_eq!(value["curl"][3], "Accept: x");
    assert_eq!(value["headers"]["Accept"], "text/html");
    assert_eq!(value["env"][1]["value"], "kept");
    assert_eq!(value["command"], "echo ");
    assert_eq!(value["nested"][0]["a"], json!(["x ", "after"]));
    assert_eq!(value["password"], REDACTED);
    assert_eq!(value["token"], "short");
    assert_eq!(value["apiKey"], "${API_KEY_FROM_ENV}");
    assert_eq!(
        value["argv"],
        json!(["login", "--password", REDACTED, "--token", "--verbose", "ok"])
    );
    assert_eq!(value[""].as_u64().unwrap() + value["_2"].as_u64().unwrap(), 3);
    let again = value.clone();
    clean_value(&mut value);
    assert_eq!(value, again);
}

#[test]
fn f5_key_files_are_known_by_name() {
    for path in [
        ".env",
        "/a/.env",
        "/a/.env.production",
        ".env.local",
        "prod.env",
        "C:\\a\\.ENV",
        ".envrc",
        "x/server.pem",
        "tls.key",
        "id_rsa",
        "~/.ssh/id_ed25519",
        "id_rsa.bak",
        ".netrc",
        ".npmrc",
        "~/.aws/credentials",
        "credentials",
        "credentials.json",
        "gcp-credentials.json",
        ".git-credentials",
        "/h/.ssh/deploy",
        ".pypirc",
        "~/.docker/config.json",
        "secrets.yaml",
        "keys.p12",
        "terraform.tfvars",
        "~/.cargo/credentials.toml",
        "service-account.json",
    ] {
        assert!(is_secret_path(path), "{path}");
    }
    for path in [
        "",
        "/",
        ".env.example",
        "/a/.env.sample",
        ".env.template",
        "env.rs",
        "environment.md",
        "src/credentials.rs",
        "docs/credentials.md",
        "keyboard.rs",
        "process.env",
        "monkey.txt",
        "~/.ssh/config",
        "~/.ssh/known_hosts",
        "src/secrets/mod.rs",
        "config.json",
        "a.env.rs",
        "secrets.rs",
    ] {
        assert!(!is_secret_path(path), "{path}");
    }
    assert!(names_secret_path("cat ./.env | head"));
    assert!(names_secret_path("openssl rsa -in=\"server.key\""));
    assert!(!names_secret_path("cargo test && cat .env.example"));
    assert!(!names_secret_path("grep -rn process.env src"));
}

#[test]
fn f8_cost_grows_with_length_and_no_faster() {
    for piece in [
        "<private>",
        "<",
        "<private ",
        "< private a=\"",
        "＜",
        "</private",
        "<system-reminder>",
        "<\u{200b}",
        "token=",
        "A_TOKEN=\"",
        "A_TOKEN='x\"",
        "--token ",
        "--token=\"",
        "://",
        "://a:@",
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----a-----END ",
        "eyJaaaaaaaa.",
        "a.",
        "Authorization: ",
        "bearer ",
        "ghp_",
        "curl -u ",
        "mysql -p",
        "-H '",
        "-H \"X-Api-Key: ",
        "cookie: ",
        "cookie: a",
        "\"a\": ",
        "x",
        "=",
        "\\",
    ] {
        assert!(is_linear(piece, |text| drop(std::hint::black_box(clean(text)))), "{piece}");
    }
}

/// Text dense in what the scanners look for.
fn dense() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("<private>"),
        Just("</private>"),
        Just("<"),
        Just(">"),
        Just("/"),
        Just("private"),
        Just("<pri"),
        Just("vate>"),
        Just("< private "),
        Just("<system-reminder>"),
        Just("＜"),
        Just("</system-reminder>"),
        Just("<hook_context>"),
        Just("\u{200b}"),
        Just("a=\""),
        Just("\""),
        Just("'"),
        Just(" "),
        Just("\n"),
        Just("\\"),
        Just("TOKEN="),
        Just("password: "),
        Just("abcdefgh12"),
        Just("ghp_abcdefghijklmnopqrst"),
        Just("://"),
        Just("u:p@"),
        Just("@"),
        Just("--token "),
        Just("Authorization: Bearer "),
        Just("[redacted]"),
        Just("[re"),
        Just("-----BEGIN PRIVATE KEY-----"),
        Just("-----END PRIVATE KEY-----"),
        Just("="),
        Just(":"),
        Just("eyJhbGciOiJI.eyJhbG.abc"),
        Just("é"),
        Just("curl "),
        Just("mysql "),
        Just("-p"),
        Just("docker login "),
        Just("-H "),
        Just("X-Api-Key: "),
        Just("Cookie: "),
        Just("a=b"),
        Just("-u "),
        Just("("),
        Just(","),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// One way of writing a mark: case, width, blanks, attributes, invisible characters.
fn mark(closing: bool) -> impl Strategy<Value = String> {
    let letters = prop::collection::vec((0..4_u8, any::<bool>()), "private".len());
    let blank = prop::sample::select(vec!["", " ", "\n", "\t", "\u{a0}", "\u{200b}"]);
    let tail = prop::sample::select(vec!["", " ", " a=\"b\"", " a='>'", "\n", "\u{ad}"]);
    (any::<bool>(), letters, blank, tail).prop_map(move |(wide, letters, blank, tail)| {
        let mut text = if wide { "＜" } else { "<" }.to_owned();
        if closing {
            text.push('/');
        }
        text.push_str(blank);
        for (letter, (style, hidden)) in "private".chars().zip(letters) {
            text.push(match style {
                0 => letter,
                1 => letter.to_ascii_uppercase(),
                2 => char::from_u32(u32::from(letter) + 0xfee0).unwrap(),
                _ => char::from_u32(u32::from(letter.to_ascii_uppercase()) + 0xfee0).unwrap(),
            });
            if hidden {
                text.push('\u{200b}');
            }
        }
        text.push_str(if closing { tail.split('a').next().unwrap() } else { tail });
        text.push(if wide { '＞' } else { '>' });
        text
    })
}

proptest! {
    #![proptest_config(crate::trial::bounded(64))]

    #[test]
    fn any_text_is_cleaned_once_and_for_all(text in any::<String>()) {
        let once = clean(&text);
        prop_assert_eq!(clean(&once), once);
    }

    #[test]
    fn dense_text_is_cleaned_once_and_for_all(text in dense()) {
        let once = clean(&text);
        prop_assert_eq!(clean(&once), once);
    }

    #[test]
    fn f1_no_spelling_lets_the_canary_through(
        open in mark(false), close in mark(true), closed in any::<bool>(), inner in dense(),
        before in "[a-z ]{0,8}", after in "[a-z ]{0,8}",
    ) {
        let inner = inner.replace("</private>", "");
        let close = if closed { close } else { String::new() };
        let text = format!("{before}{open}{inner}{CANARY}{close}{after}");
        let clean = clean(&text);
        prop_assert!(!clean.contains(CANARY), "{text:?} -> {clean:?}");
        prop_assert!(clean.starts_with(&before));
    }

    #[test]
    fn names_of_files_never_panic(path in any::<String>()) {
        let _ = is_secret_path(&path);
        let _ = names_secret_path(&path);
    }

    #[test]
    fn values_are_cleaned_once_and_for_all(keys in prop::collection::vec(dense(), 0..6), text in dense()) {
        let mut value = Value::Object(keys.into_iter().map(|k| (k, json!([text.clone()]))).collect());
        clean_value(&mut value);
        let once = value.clone();
        clean_value(&mut value);
        prop_assert_eq!(value, once);
    }
}
