use proptest::prelude::*;

use super::*;

fn all(text: &str) -> Vec<String> {
    tokens(text)
}

fn has(text: &str, wanted: &[&str]) {
    let got = all(text);
    for token in wanted {
        assert!(got.iter().any(|t| t == token), "{text}: no '{token}' in {got:?}");
    }
}

/// Whether the terms of a question are all in the index of a text.
fn finds(query: &str, text: &str) -> bool {
    let got = all(text);
    let terms = query_terms(query);
    !terms.is_empty() && terms.iter().all(|term| got.contains(term))
}

#[test]
fn identifiers_are_split_and_kept_whole() {
    has(
        "retryQueue",
        &["retryqueue", "retry", "queue"].map(|w| if w == "retry" { "retri" } else { w }),
    );
    has("retry_queue", &["retry_queue", "retri", "queue"]);
    assert_eq!(all("bd-42"), ["bd-42", "bd", "42"]);
    has("HTTPServer2", &["httpserver2", "http", "server"]);
    has("std::env::var", &["std::env::var", "std", "env", "var"]);
    has("os.path.join", &["os.path.join", "os", "path", "join"]);
    has("src/api/mod.rs", &["src/api/mod.rs", "src", "api", "mod.rs", "mod", "rs"]);
    has("/src/session_store.test.ts", &["session_store.test.ts", "session_store.test", "store"]);
    has(r"C:\Users\x1\app.ini", &["users/x1/app.ini", "app.ini", "app"]);
    assert_eq!(all("1.2.3"), ["1.2.3"]);
    assert_eq!(all("v1.2.3"), ["v1.2.3", "1.2.3"]);
    assert_eq!(all("#1234"), ["#1234", "1234"]);
    has("repo#12", &["repo#12", "#12", "repo", "12"]);
    has("C++ and C#", &["c++", "c#"]);
    has("mail ann@example.com now", &["ann@example.com", "ann", "example.com", "exampl"]);
    has("https://example.com/a/b?x=1", &["https", "example.com/a/b", "example.com"]);
}

#[test]
fn a_camel_case_name_is_found_by_its_small_letters_and_the_other_way_round() {
    assert!(finds("retryqueue", "the retryQueue is full"));
    assert!(finds("sessionstore", "SessionStore"));
    assert!(finds("session store", "SessionStore"));
    assert!(finds("retry queue", "retry_queue"));
    assert!(finds("mod.rs", "src/api/mod.rs"));
    assert!(finds("#1234", "fixes #1234."));
}

#[test]
fn english_is_stemmed_and_folded() {
    assert_eq!(all("Retries RETRY retrying"), ["retri", "retri", "retri"]);
    assert_eq!(all("Café naïve Straße"), ["cafe", "naiv", "strass"]);
    assert_eq!(all("cafe\u{301}"), all("café"));
    assert_eq!(all("ＲＥＤＩＳ"), ["redi"]);
    assert_eq!(all("don't user's"), ["don", "user"]);
    assert_eq!(all("don\u{2019}t"), ["don"]);
    assert_eq!(all("Привет Мир"), ["привет", "мир"]);
}

#[test]
fn k1_k2_chinese_is_found_by_parts_and_mixed() {
    assert_eq!(all("数据库"), ["数", "数据", "据", "据库", "库"]);
    assert!(finds("表", "数据库表"));
    assert!(finds("数据", "数据库表"));
    assert!(finds("用Redis缓存", "我们决定用Redis缓存用户会话"));
    assert!(finds("redis 缓存", "用Redis缓存"));
    assert_eq!(query_terms("用Redis缓存"), ["redi", "缓存"]);
    assert_eq!(query_terms("数据库"), ["数据", "据库"]);
    assert!(finds("キャッシュ", "メモリのキャッシュを消す"));
    assert!(finds("캐시", "메모리캐시"));
}

#[test]
fn k3_hostile_queries_have_no_syntax() {
    let hostile = [
        "bd-42",
        "auto-memory",
        "title:x",
        r"C:\x",
        "-x",
        "don't",
        "",
        "AND",
        "foo OR",
        "(",
        "\0",
        "a\"b",
        "*",
        "`",
        "()",
    ];
    for query in hostile {
        for term in query_terms(query) {
            assert!(!term.contains(['"', '*', '(', ')', ' ', '\0', '\'']), "{query}: {term}");
        }
    }
    assert!(finds("bd-42", "see bd-42 for more"));
}

#[test]
fn stop_words_are_dropped_unless_nothing_else_is_left() {
    assert_eq!(query_terms("What is the retry policy?"), ["retri", "polici"]);
    assert_eq!(query_terms("缓存的配置是什么"), ["缓存", "配置"]);
    assert_eq!(query_terms("who are you"), ["who", "are", "you"]);
    assert_eq!(query_terms("retry Retry RETRIES"), ["retri"]);
    let many = (0..100).map(|n| format!("word{n}")).collect::<Vec<_>>().join(" ");
    assert_eq!(query_terms(&many).len(), 32);
}

#[test]
fn k9_a_word_deep_in_a_long_text_is_found() {
    let mut text = "lorem ipsum dolor ".repeat(20_000);
    text.push_str("zyzzyva");
    let got = all(&text);
    assert!(got.contains(&"zyzzyva".to_owned()));
    assert!(got.len() <= MAX_WITH_NEW);
    let chinese: String =
        (0..100_000u32).map(|n| char::from_u32(0x4e00 + (n * 7919) % 20_000).unwrap()).collect();
    assert!(all(&chinese).len() <= MAX_WITH_NEW);
}

#[test]
fn huge_words_are_bounded() {
    let blob = "aB/+9".repeat(100_000);
    let got = all(&blob);
    assert!(got.iter().all(|t| t.len() <= 64));
    let solid = "x".repeat(1_000_000);
    assert!(all(&solid).len() <= 2);
    assert!(all(&"a/".repeat(500_000)).len() <= 64);
}

#[test]
fn an_index_entry_holds_the_same_tokens() {
    let doc = index_doc("Retry queue", "用Redis缓存", &["src/a.rs".to_owned(), "b.rs".to_owned()]);
    assert_eq!(doc.title, "retri queue");
    assert_eq!(doc.text, "用 redi 缓 缓存 存");
    assert_eq!(doc.files, "src/a.rs src a.rs rs b.rs rs");
}

#[test]
fn g6_text_keys_ignore_form_only() {
    let key = text_key("Café: use  pnpm\r\nnever npm  ");
    assert_eq!(key, text_key("cafe\u{301}: USE pnpm\nnever npm"));
    assert_ne!(key, text_key("Cafe: use pnpm never npm"));
    assert_ne!(text_key("use a"), text_key("use b"));
    assert_ne!(text_key("v1.2"), text_key("v1 2"));
    assert_eq!(text_key("ΟΔΟΣ"), text_key("οδος"));
    let long = "word ".repeat(100);
    assert_eq!(text_key(&long), text_key(&long.to_uppercase()));
    assert_ne!(text_key(&long), text_key(&format!("{long}x")));
    assert!(text_key(&long).len() <= 120);
    assert_eq!(text_key(" \n "), "");
}

proptest! {
    #[test]
    fn any_text_gives_clean_tokens(text in ".{0,300}") {
        for token in tokens(&text) {
            prop_assert!(!token.is_empty() && token.len() <= 64);
            prop_assert!(!token.chars().any(|c| c.is_whitespace() || c.is_control() || c == '"'));
        }
        let terms = query_terms(&text);
        prop_assert!(terms.len() <= 32);
        let index = tokens(&text);
        for term in terms {
            prop_assert!(index.contains(&term), "{}", term);
        }
        let _key = text_key(&text);
    }

    #[test]
    fn code_like_text_gives_clean_tokens(text in r"[a-zA-Z0-9_./\\:#@+' é用缓-]{0,120}") {
        let index = tokens(&text);
        for term in query_terms(&text) {
            prop_assert!(term.len() <= 64 && !term.contains([' ', '\\']), "{}", term);
            prop_assert!(index.contains(&term), "{}", term);
        }
    }

    #[test]
    fn g6_keys_survive_forms(text in ".{0,200}") {
        use unicode_normalization::UnicodeNormalization;
        let decomposed: String = text.nfd().collect();
        prop_assert_eq!(text_key(&text), text_key(&decomposed));
        prop_assert_eq!(text_key(&text), text_key(&format!(" {text}\r\n")));
    }
}

#[test]
fn a_long_question_keeps_the_names_of_files() {
    let words: Vec<String> = (b'a'..=b'z')
        .flat_map(|a| ['q', 'z'].map(|b| format!("{}{b}{b}", char::from(a))))
        .collect();
    let text = format!("{} in cmd/cli/reset.go and clean.go", words.join(" "));
    let terms = query_terms(&text);
    assert_eq!(terms.len(), 32);
    assert_eq!(terms[..2], ["aqq", "azz"]);
    for file in ["cmd/cli/reset.go", "reset.go", "clean.go"] {
        assert!(terms.iter().any(|term| term == file), "{file} in {terms:?}");
    }
    assert_eq!(query_terms("why does clean.go fail"), ["clean.go", "clean", "go", "fail"]);
}

#[test]
fn names_of_files_are_known() {
    for name in ["src/store/lease.rs", "main.go", "state.json", "a/b/c"] {
        assert!(names_file(name), "{name}");
    }
    for word in ["and/or", "store", "e.g", "1.25", "v1.2", "../", "bd-42", "std::fs", ""] {
        assert!(!names_file(word), "{word}");
    }
}
