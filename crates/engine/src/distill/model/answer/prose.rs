//! What an answer means that holds no block.

use afterword_domain::text::prefix;

/// Characters of an answer that may be a notice; a longer one is an essay that missed its form.
const NOTICE: usize = 400;

/// Why an answer holds no block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prose {
    /// The account may not be used any more for a while.
    Quota,
    /// The account cannot be used.
    Auth,
    /// The model will not answer this.
    Refusal,
    /// The request was too long.
    Overflow,
    /// Nothing that is understood.
    Noise,
}

// An essay about rate limits or log-ins is none: the words are those that services say of
// themselves.

const QUOTA: [&str; 16] = [
    "usage limit reached",
    "hit your limit",
    "hit your usage limit",
    "reached your usage limit",
    "reached your limit",
    "exceeded your current quota",
    "insufficient_quota",
    "quota exceeded",
    "rate limit exceeded",
    "rate_limit_error",
    "credit balance is too low",
    "out of credits",
    "insufficient credits",
    "insufficient balance",
    "账户余额不足",
    "额度已用",
];

const AUTH: [&str; 12] = [
    "invalid api key",
    "invalid x-api-key",
    "incorrect api key",
    "api key is missing",
    "no api key provided",
    "authentication_error",
    "run /login",
    "not logged in",
    "oauth token has expired",
    "401 unauthorized",
    "请先登录",
    "密钥无效",
];

const OVERFLOW: [&str; 8] = [
    "prompt is too long",
    "context length",
    "context window",
    "context_length",
    "maximum context",
    "too many tokens",
    "input is too long",
    "上下文长度",
];

const REFUSAL: [&str; 17] = [
    "i can't help",
    "i can't assist",
    "i can't comply",
    "i cannot help",
    "i cannot assist",
    "i cannot comply",
    "i cannot provide",
    "i can't provide",
    "i'm unable to",
    "i am unable to",
    "i won't be able",
    "i'm not able to",
    "i'm sorry, but",
    "usage policies",
    "我无法",
    "我不能",
    "抱歉，",
];

const NOTHING: [&str; 11] = [
    "nothing to record",
    "nothing worth recording",
    "nothing noteworthy",
    "nothing notable",
    "no observations",
    "no observation",
    "nothing to observe",
    "nothing new to record",
    "没有值得记录",
    "无需记录",
    "没有需要记录",
];

/// What the text means; none when it says that there is nothing to record.
pub(super) fn meaning(text: &str) -> Option<Prose> {
    let text = text.trim();
    if text.chars().nth(NOTICE).is_some() {
        return Some(Prose::Noise);
    }
    let text = prefix(text, 4 * NOTICE).to_lowercase().replace('’', "'");
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    // A short word of the model's own comes before what it may quote.
    if says(&NOTHING) {
        return None;
    }
    Some(match () {
        () if says(&OVERFLOW) => Prose::Overflow,
        () if says(&QUOTA) => Prose::Quota,
        () if says(&AUTH) => Prose::Auth,
        () if says(&REFUSAL) => Prose::Refusal,
        () => Prose::Noise,
    })
}
