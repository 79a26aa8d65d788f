//! Words that a question can do without.

use std::collections::HashSet;
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};

const ENGLISH: &str = "a about again all also am an and any are aren as at be been before being both but by can \
could couldn did didn do does doesn doing don done during each few for from further get gets getting got had hadn \
has hasn have haven having he her here hers him his how i if in into is isn it its just like ll me more most my \
of off on once only or other our ours out over own please re same she should shouldn so some such than that the \
their them then there these they this those through to too up us ve very was wasn we were weren what when where \
which while who whom why will with won would wouldn you your yours tell show know want need let make anything \
something everything";

const CHINESE: &str = "的 了 是 在 和 与 及 或 吗 呢 吧 啊 呀 嘛 么 我 你 他 她 它 这 那 也 都 就 还 又 把 被 让 给 对 从 \
向 到 于 着 过 地 得 之 请 个 有 什么 怎么 么样 如何 为什 何时 我们 你们 他们 她们 它们 咱们 这个 那个 这些 那些 这里 那里 这样 \
那样 哪个 哪些 哪里 怎样 一个 一下 一些 可以 能否 是否 用 请问 请帮 帮我 给我 告诉 诉我 以及 或者 还是 并且 而且 然后 但是 不过 \
因此 所以 关于 对于 之前 之后 以前 以后 一次 上次 这次 那次 后来 有什 有哪";

/// In a pair these only join two words.
const PARTICLES: [char; 10] = ['的', '了', '是', '吗', '呢', '吧', '啊', '呀', '嘛', '么'];

/// Words that hold a particle and say something.
const NO_PARTICLE: [&str; 4] = ["目的", "的确", "标的", "了解"];

static STOP_WORDS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let stemmer = Stemmer::create(Algorithm::English);
    let stems = ENGLISH.split_whitespace().map(|word| stemmer.stem(word).into_owned());
    let words = ENGLISH.split_whitespace().chain(CHINESE.split_whitespace()).map(str::to_owned);
    words.chain(stems).collect()
});

/// Whether a token carries no subject; tokens come as the analyzer makes them.
pub(super) fn is_stop_word(token: &str) -> bool {
    if STOP_WORDS.contains(token) {
        return true;
    }
    let particle = token.chars().next_back().is_some_and(|c| PARTICLES.contains(&c))
        || token.starts_with(PARTICLES);
    particle && token.chars().count() == 2 && !NO_PARTICLE.contains(&token)
}
