//! Bounds of time and size, and where the key must not go.

use std::time::Duration;

use afterword_testkit::{ProviderStub, Reply};

use super::{HTTP, KEY, ask, complete, open, provider, run, settings};
use crate::provider::{ProviderKind, RefusalKind};

#[test]
fn a_host_that_hangs_or_drips_is_left_in_time() {
    let stub = ProviderStub::start();
    for reply in [Reply::hangs(), Reply::text("slow").dripping(Duration::from_millis(20))] {
        for kind in HTTP {
            stub.then(reply.clone());
            let mut settings = settings(kind, &stub.url());
            settings.timeout = Duration::from_millis(300);
            let refusal = complete(&open(&settings).unwrap()).unwrap_err();
            assert_eq!(refusal.kind, RefusalKind::Unavailable, "{refusal}");
            assert!(refusal.may_cost(), "it was asked, and may have answered");
        }
    }
    assert_eq!(stub.count(), 6, "nothing is asked twice");
}

#[test]
fn an_answer_without_an_end_is_not_kept() {
    let stub = ProviderStub::start();
    stub.then(Reply::garbage(vec![b' '; 5 << 20]));
    let refusal = complete(&provider(ProviderKind::OpenAi, &stub)).unwrap_err();
    assert_eq!(refusal.kind, RefusalKind::Unusable, "{refusal}");
}

#[test]
fn i7_a_redirect_does_not_take_the_key_elsewhere() {
    let (stub, elsewhere) = (ProviderStub::start(), ProviderStub::start());
    stub.otherwise(Reply::redirect(&format!("{}/v1/messages", elsewhere.url())));
    for kind in HTTP {
        let refusal = complete(&provider(kind, &stub)).unwrap_err();
        assert!(refusal.message.contains("redirect"), "{refusal}");
    }
    assert_eq!((stub.count(), elsewhere.count()), (3, 0));
}

#[test]
fn the_key_is_nowhere_but_in_its_header() {
    let stub = ProviderStub::start();
    for kind in HTTP {
        let settings = settings(kind, &stub.url());
        assert!(!format!("{settings:?}").contains(KEY));
        let provider = open(&settings).unwrap();
        assert!(!format!("{provider:?}").contains(KEY), "{provider:?}");
        // A host that sends the key back in every way it can.
        for status in [400, 401, 404, 429, 500] {
            stub.then(Reply::error(status, KEY, &format!("bad key {KEY} for {KEY}")));
            let refusal = complete(&provider).unwrap_err();
            let shown = format!("{refusal:?} {refusal}");
            assert!(!shown.contains(KEY), "{shown}");
        }
    }
    for heard in stub.heard() {
        let times = heard.raw.windows(KEY.len()).filter(|w| *w == KEY.as_bytes()).count();
        assert_eq!(times, 1, "once in the head, never in the address or the body");
        assert!(!heard.body.to_string().contains(KEY) && !heard.path.contains(KEY));
    }
}

#[test]
fn a_proxy_is_used_only_where_one_is_set() {
    let proxy = ProviderStub::start();
    let mut settings = settings(ProviderKind::OpenAi, "http://model.internal:9/v1");
    settings.proxy = Some(proxy.url());
    assert!(complete(&open(&settings).unwrap()).is_ok());
    let head = String::from_utf8_lossy(&proxy.heard()[0].raw).into_owned();
    assert!(head.starts_with("POST http://model.internal:9/v1/chat/completions"), "{head}");
}

#[test]
fn the_reservation_covers_what_is_sent() {
    let stub = ProviderStub::start();
    for kind in HTTP {
        let provider = provider(kind, &stub);
        assert!(complete(&provider).is_ok());
        let small = provider.input_bound(&ask());
        let mut long = ask();
        long.prompt = "x = 1;\n".repeat(1_000);
        // Four tokens a line at the least, whoever counts.
        assert!(provider.input_bound(&long) >= small + 4_000);
    }
}

#[test]
fn a_question_that_is_given_up_is_over() {
    let stub = ProviderStub::start();
    stub.then(Reply::hangs());
    let provider = provider(ProviderKind::Anthropic, &stub);
    run(async {
        let asked = ask();
        let given_up = tokio::time::timeout(Duration::from_millis(200), provider.complete(&asked));
        assert!(given_up.await.is_err());
        assert_eq!(provider.complete(&asked).await.unwrap().text, "STUB-ANSWER.");
    });
}
