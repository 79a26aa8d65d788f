//! The pictures of the guide.

use std::path::Path;

use afterword::config::SystemClock;
use afterword_domain::Clock as _;
use serde_json::json;

use super::Stage;
use crate::spend::spend_at;

/// Bytes of one picture at most.
const MOST: u64 = 200_000;

/// Milliseconds of a day.
const DAY: i64 = 86_400_000;

#[test]
#[ignore = "writes docs/viewer: cargo xtask screenshots"]
fn pictures_of_every_page() {
    let Some(stage) = Stage::new() else { return };
    let now = SystemClock.now();
    let call = |ago: i64| {
        let tokens = 9_000 + (ago * 7_919 % 13) * 4_100;
        let tokens = u64::try_from(tokens).unwrap();
        (now.plus_millis(-ago * DAY), tokens, Some(tokens * 3))
    };
    let calls: Vec<_> = (0..28).rev().filter(|ago| ago % 7 != 5).map(call).collect();
    spend_at(&stage.sandbox, &calls);
    stage.sandbox.start_daemon_at(stage.port);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/viewer");
    std::fs::create_dir_all(&folder).unwrap();
    let saw = stage.play_with("pictures.mjs", json!({ "folder": folder.display().to_string() }));
    for (name, size) in saw["sizes"].as_object().unwrap() {
        assert!(size.as_u64() <= Some(MOST), "{name}.png has {size} bytes");
    }
}
