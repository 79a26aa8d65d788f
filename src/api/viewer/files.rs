//! The list of the viewer's files; a test keeps it equal to the folder.

use super::File;

macro_rules! file {
    ($path:literal) => {
        File { path: $path, bytes: include_bytes!(concat!("../../../viewer/", $path)) }
    };
}

/// Every file of the folder `viewer`.
pub(in crate::api) const FILES: &[File] = &[
    file!("app/gate.js"),
    file!("app/help.js"),
    file!("app/kept.js"),
    file!("app/main.js"),
    file!("app/router.js"),
    file!("app/shell.js"),
    file!("app/shortcuts.js"),
    file!("app/side.js"),
    file!("app/signals.js"),
    file!("app/state.js"),
    file!("app/theme.js"),
    file!("i18n/en.js"),
    file!("i18n/index.js"),
    file!("i18n/zh.js"),
    file!("icon.svg"),
    file!("index.html"),
    file!("net/api.js"),
    file!("net/live.js"),
    file!("pages/feed.js"),
    file!("pages/health.js"),
    file!("pages/next.js"),
    file!("pages/search.js"),
    file!("pages/session.js"),
    file!("pages/settings.js"),
    file!("pages/spend.js"),
    file!("pages/timeline.js"),
    file!("parts/editor.js"),
    file!("parts/entry.js"),
    file!("parts/evidence.js"),
    file!("parts/forget.js"),
    file!("parts/merge.js"),
    file!("parts/panel.js"),
    file!("parts/pending.js"),
    file!("parts/rowbody.js"),
    file!("parts/rowlist.js"),
    file!("parts/words.js"),
    file!("style/base.css"),
    file!("style/list.css"),
    file!("style/pages.css"),
    file!("style/parts.css"),
    file!("style/shell.css"),
    file!("ui/chart.js"),
    file!("ui/dialog.js"),
    file!("ui/dom.js"),
    file!("ui/empty.js"),
    file!("ui/icons.js"),
    file!("ui/list.js"),
    file!("ui/mark.js"),
    file!("ui/say.js"),
    file!("ui/time.js"),
];
