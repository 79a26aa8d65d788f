//! The words by which statements are taken apart.

/// Says that it was otherwise before.
pub(super) const CHANGED: [&str; 28] = [
    " now",
    "now ",
    "no longer",
    "not anymore",
    "any more",
    "anymore",
    "from now on",
    "instead",
    "switched",
    "moved to",
    "migrated",
    "changed to",
    "replaced",
    "rather than",
    "going forward",
    "改用",
    "改为",
    "改成",
    "换成",
    "换用",
    "替换",
    "不再",
    "现在",
    "今后",
    "从现在起",
    "弃用",
    "以后",
    "迁移到",
];

/// Stand before a value that was given up, up to the end of the clause.
pub(super) const GIVEN_UP: [&str; 18] = [
    "instead of ",
    "rather than ",
    "no longer use ",
    "no longer uses ",
    "not ",
    "never ",
    "replaced ",
    "switched from ",
    "switch from ",
    "switching from ",
    "moved from ",
    "migrated from ",
    "stopped using ",
    "不再使用",
    "不再用",
    "而不是",
    "不用",
    "弃用",
];

/// What turns a statement into its opposite.
pub(super) const OPPOSITE: [&str; 18] = [
    "never ",
    "not ",
    "don't ",
    "no longer ",
    "do not ",
    "must not ",
    "cannot ",
    "can't ",
    "shouldn't ",
    "isn't ",
    "avoid ",
    "stop ",
    "不再",
    "不要",
    "不能",
    "禁止",
    "不得",
    "不用",
];

/// Verbs that take one value for one purpose.
pub(super) const USES: [&str; 29] = [
    "prefers ",
    "prefer ",
    "uses ",
    "use ",
    "using ",
    "switched to ",
    "moved to ",
    "migrated to ",
    "runs on ",
    "go through ",
    "goes through ",
    "switch to ",
    "switching to ",
    "picked ",
    "settled on ",
    "decided on ",
    "chose ",
    "went with ",
    "改用",
    "改为使用",
    "换成",
    "换用",
    "迁移到",
    "统一用",
    "统一使用",
    "一律用",
    "采用",
    "使用",
    "用",
];

/// Verbs that say what something is.
pub(super) const IS: [&str; 12] = [
    " listens on ",
    " defaults to ",
    " deploys to ",
    " lives in ",
    " changed to ",
    " is now ",
    " is ",
    " are ",
    "改为",
    "改成",
    "设为",
    "是",
];

/// Values that exclude each other where one of them is used.
pub(super) const RIVALS: [&str; 12] = [
    "npm pnpm yarn bun",
    "pip poetry uv pipenv conda",
    "tabs tab spaces space",
    "postgres postgresql mysql sqlite mariadb",
    "jest vitest mocha",
    "pytest unittest",
    "webpack vite rollup parcel",
    "github gitlab bitbucket",
    "prettier biome",
    "snake camelcase kebab pascalcase",
    "jenkins argocd",
    "redis memcached valkey",
];

/// Begin what a value was preferred to, and why: no part of what it is for.
pub(super) const REASONS: [&str; 6] =
    [" over ", " because ", " since ", " so that ", "因为", "，因"];
