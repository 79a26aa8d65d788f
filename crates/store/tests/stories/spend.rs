use afterword_domain::Time;
use afterword_domain::day::Day;
use afterword_domain::wire::spend::{SpendBy, SpendLine};
use afterword_store::contract::{
    AHEAD_DAYS, Limit, NewInjected, NewSpend, Reserved, Settled, SpendLimits,
};

use super::build::{Any, event, prompt, stored, stored_project, t};

const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

/// What tokens cost in the stories, in micros.
const fn cost(input_tokens: u64, output_tokens: u64) -> u64 {
    input_tokens + 5 * output_tokens
}

fn call(at: Time, input_tokens: u64, output_tokens: u64) -> NewSpend {
    NewSpend {
        at,
        provider: "anthropic".to_owned(),
        model: "small".to_owned(),
        purpose: "turn".to_owned(),
        project_id: None,
        session_id: None,
        input_tokens,
        output_tokens,
        cost: None,
        backlog: false,
    }
}

fn tokens(tokens: u64) -> SpendLimits {
    SpendLimits { tokens, cost: None, session_tokens: tokens, backlog_tokens: 0 }
}

async fn within(store: &Any, call: &NewSpend, limits: &SpendLimits) -> i64 {
    match store.reserve_spend(call, limits).await.unwrap() {
        Reserved::Within(id) => id,
        over @ Reserved::Over { .. } => panic!("{over:?}"),
    }
}

async fn over(store: &Any, call: &NewSpend, limits: &SpendLimits) -> (Limit, Day) {
    match store.reserve_spend(call, limits).await.unwrap() {
        Reserved::Over { limit, day } => (limit, day),
        within @ Reserved::Within(_) => panic!("{within:?}"),
    }
}

/// Everything that was spent from a day on.
async fn total(store: &Any, from: Day) -> SpendLine {
    let mut total = SpendLine::default();
    for line in store.spend_lines(SpendBy::Day, from, from.plus(10_000)).await.unwrap() {
        total.add(&line);
    }
    total
}

pub(crate) async fn what_is_set_aside_counts_until_it_is_settled(store: Any) {
    let limits = tokens(1_000);
    let first = within(&store, &call(t(0), 500, 300), &limits).await;
    assert_eq!(over(&store, &call(t(1), 150, 51), &limits).await.0, Limit::Tokens);
    let exact = within(&store, &call(t(1), 150, 50), &limits).await;
    let used = Settled::Used { input_tokens: 400, output_tokens: 10, cost: None };
    assert!(store.settle_spend(first, used).await.unwrap());
    assert!(!store.settle_spend(first, Settled::Nothing).await.unwrap(), "once");
    assert!(store.settle_spend(exact, Settled::Nothing).await.unwrap());
    let line = total(&store, Day::of(t(0))).await;
    assert_eq!((line.calls, line.input_tokens, line.output_tokens), (1, 400, 10));
    assert_eq!((line.open_tokens, line.unpriced_tokens), (0, 410));
    within(&store, &call(t(2), 590, 0), &limits).await;
    assert!(!store.settle_spend(999, used).await.unwrap(), "there is no such call");
}

pub(crate) async fn what_is_not_settled_stays_charged(store: Any) {
    let limits = tokens(1_000);
    let died = within(&store, &call(t(0), 500, 100), &limits).await;
    let unknown = within(&store, &call(t(0), 100, 300), &limits).await;
    assert!(store.settle_spend(unknown, Settled::Unknown).await.unwrap());
    assert!(!store.settle_spend(unknown, Settled::Nothing).await.unwrap(), "nobody takes it back");
    let line = total(&store, Day::of(t(0))).await;
    assert_eq!((line.tokens(), line.open_tokens, line.calls), (1_000, 1_000, 2));
    assert_eq!(over(&store, &call(t(9), 1, 0), &limits).await.0, Limit::Tokens);
    let tomorrow = t(DAY_MS);
    assert!(store.settle_spend(died, Settled::Nothing).await.unwrap());
    within(&store, &call(tomorrow, 1_000, 0), &limits).await;
}

/// Numbers that look like chance and are the same in every run.
fn numbers(seed: u64) -> impl Iterator<Item = u64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    std::iter::from_fn(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        Some(state >> 16)
    })
}

pub(crate) async fn i1_the_cap_is_kept_whoever_asks_at_once(store: Any) {
    // Each round is a day of its own: callers ask at once, some settle, some die, some are refused.
    for round in 0..6_u64 {
        let day = Day::of(t(0)).plus(i64::try_from(round).unwrap());
        let most = 9_000 + 500 * round;
        let limits =
            SpendLimits { cost: Some(most), backlog_tokens: 1_500, ..tokens(5_000 + 977 * round) };
        let calls = (0..40_u64).map(|caller| {
            let store = store.clone();
            tokio::spawn(async move {
                let mut chance = numbers(round * 1_000 + caller);
                let mut pick = move |n: u64| chance.next().unwrap() % n;
                let mut refused = 0_usize;
                for _ in 0..5 {
                    let (input, output) = (pick(400), pick(200));
                    let mut call = call(day.begins(), input, output);
                    (call.cost, call.backlog) = (Some(cost(input, output)), pick(3) == 0);
                    match store.reserve_spend(&call, &limits).await.unwrap() {
                        Reserved::Over { .. } => refused += 1,
                        Reserved::Within(id) => {
                            let (input, output) = (pick(input + 1), pick(output + 1));
                            let used = Settled::Used {
                                input_tokens: input,
                                output_tokens: output,
                                cost: Some(cost(input, output)),
                            };
                            let fates = [used, Settled::Unknown, Settled::Nothing];
                            if let Some(fate) = fates.get(usize::try_from(pick(4)).unwrap()) {
                                assert!(store.settle_spend(id, *fate).await.unwrap());
                            }
                        }
                    }
                    let spent = store.spend_lines(SpendBy::Day, day, day).await.unwrap();
                    let spent = spent.first().cloned().unwrap_or_default();
                    assert!(spent.tokens() <= limits.tokens, "{spent:?}");
                    assert!(spent.cost_micros <= most, "{spent:?}");
                }
                refused
            })
        });
        let mut refused = 0;
        for call in calls.collect::<Vec<_>>() {
            refused += call.await.unwrap();
        }
        let spent = store.spend_lines(SpendBy::Day, day, day).await.unwrap();
        assert!(refused > 0, "the caps were reached");
        let nearly = spent[0].tokens() * 2 > limits.tokens || spent[0].cost_micros * 2 > most;
        assert!(nearly, "and not by refusing everything: {spent:?}");
    }
}

pub(crate) async fn a_cap_of_cost_needs_a_price(store: Any) {
    let limits = SpendLimits { cost: Some(1_000), ..tokens(100_000) };
    assert_eq!(over(&store, &call(t(0), 1, 0), &limits).await.0, Limit::Price);
    let priced =
        |input, output| NewSpend { cost: Some(cost(input, output)), ..call(t(0), input, output) };
    let id = within(&store, &priced(500, 100), &limits).await;
    assert_eq!(over(&store, &priced(1, 0), &limits).await.0, Limit::Cost, "1,000 are set aside");
    let used = Settled::Used { input_tokens: 100, output_tokens: 1, cost: Some(cost(100, 1)) };
    store.settle_spend(id, used).await.unwrap();
    let line = total(&store, Day::of(t(0))).await;
    assert_eq!((line.cost_micros, line.unpriced_tokens), (105, 0));
    within(&store, &priced(895, 0), &limits).await;
    assert_eq!(over(&store, &priced(1, 0), &limits).await.0, Limit::Cost);
    let free = NewSpend { cost: Some(0), ..call(t(0), 9, 9) };
    within(&store, &free, &limits).await;
}

pub(crate) async fn a_session_has_a_soft_share_and_a_backlog_a_hard_one(store: Any) {
    let (_, turn) = stored(&store, event("s", 0, prompt("go"))).await;
    let limits = SpendLimits { tokens: 1_000, cost: None, session_tokens: 100, backlog_tokens: 50 };
    let of_session = NewSpend { session_id: Some(turn.session_id), ..call(t(0), 99, 0) };
    within(&store, &of_session, &limits).await;
    let whole = NewSpend { input_tokens: 200, ..of_session.clone() };
    within(&store, &whole, &limits).await;
    assert_eq!(over(&store, &of_session, &limits).await.0, Limit::Session);
    within(&store, &call(t(0), 99, 0), &limits).await;
    let backlog = |input| NewSpend { backlog: true, ..call(t(0), input, 0) };
    assert_eq!(over(&store, &backlog(51), &limits).await.0, Limit::Backlog);
    within(&store, &backlog(50), &limits).await;
    assert_eq!(over(&store, &backlog(1), &limits).await.0, Limit::Backlog);
    let tomorrow = NewSpend { at: t(DAY_MS), ..of_session };
    within(&store, &tomorrow, &limits).await;
}

pub(crate) async fn a_clock_that_is_set_back_opens_no_cap_again(store: Any) {
    let limits = tokens(100);
    within(&store, &call(t(0), 100, 0), &limits).await;
    let (_, today) = over(&store, &call(t(0), 1, 0), &limits).await;
    for back in 1..=AHEAD_DAYS {
        let earlier = t(-back * DAY_MS);
        let (limit, day) = over(&store, &call(earlier, 1, 0), &limits).await;
        assert_eq!((limit, day), (Limit::Tokens, today), "{back} days back");
        assert_eq!(store.spend_day(earlier).await.unwrap(), today);
    }
    within(&store, &call(t(DAY_MS), 100, 0), &limits).await;
    assert_eq!(over(&store, &call(t(0), 1, 0), &limits).await.1, today.plus(1));
}

pub(crate) async fn a_clock_that_was_far_ahead_shuts_no_cap_for_long(store: Any) {
    let limits = tokens(100);
    let today = Day::of(t(0));
    within(&store, &call(t(9_000 * DAY_MS), 70, 0), &limits).await;
    assert_eq!(store.spend_day(t(0)).await.unwrap(), today);
    let (limit, day) = over(&store, &call(t(0), 31, 0), &limits).await;
    assert_eq!((limit, day), (Limit::Tokens, today), "what was spent counts today");
    within(&store, &call(t(0), 30, 0), &limits).await;
    assert_eq!(total(&store, today.plus(1)).await.calls, 0);
    within(&store, &call(t(DAY_MS), 100, 0), &limits).await;
}

pub(crate) async fn spending_is_added_up_four_ways(store: Any) {
    let (shop, till) = (stored_project(&store, "shop").await, stored_project(&store, "till").await);
    let limits = tokens(100_000);
    let spent = [
        (0, "small", "turn", Some(shop.id), 100),
        (1, "small", "session", Some(till.id), 700),
        (DAY_MS, "large", "turn", Some(shop.id), 300),
        (DAY_MS, "large", "test", None, 5),
    ];
    for (at, model, purpose, project_id, input) in spent {
        let call = NewSpend {
            model: model.to_owned(),
            purpose: purpose.to_owned(),
            project_id,
            ..call(t(at), input, 10)
        };
        within(&store, &call, &limits).await;
    }
    for (at, project_id, tokens) in [(0, shop.id, 40), (5, shop.id, 2), (DAY_MS, till.id, 7)] {
        let injected = NewInjected { at: t(at), project_id, way: "prompt", tokens };
        store.note_injected(injected).await.unwrap();
    }
    let (from, to) = (Day::of(t(0)), Day::of(t(DAY_MS)));
    let seen = async |by, from| -> Vec<(String, u64, u64, Option<u64>)> {
        let lines = store.spend_lines(by, from, to).await.unwrap();
        let short = |l: SpendLine| (l.name, l.calls, l.input_tokens, l.injected_tokens);
        lines.into_iter().map(short).collect()
    };
    let line = |name: &str, calls, input, injected| (name.to_owned(), calls, input, injected);
    let days = [line(&from.to_string(), 2, 800, Some(42)), line(&to.to_string(), 2, 305, Some(7))];
    assert_eq!(seen(SpendBy::Day, from).await, days);
    assert_eq!(seen(SpendBy::Day, to).await, days[1..]);
    let projects =
        [line("till", 1, 700, Some(7)), line("shop", 2, 400, Some(42)), line("", 1, 5, Some(0))];
    assert_eq!(seen(SpendBy::Project, from).await, projects);
    let models = [line("anthropic/small", 2, 800, None), line("anthropic/large", 2, 305, None)];
    assert_eq!(seen(SpendBy::Model, from).await, models);
    assert_eq!(seen(SpendBy::Provider, from).await, [line("anthropic", 4, 1_105, None)]);
    let purposes =
        [line("session", 1, 700, None), line("turn", 2, 400, None), line("test", 1, 5, None)];
    assert_eq!(seen(SpendBy::Purpose, from).await, purposes);
}

pub(crate) async fn absurd_numbers_shut_the_day_and_break_nothing(store: Any) {
    let limits = tokens(u64::MAX);
    for _ in 0..3 {
        let call = NewSpend { cost: Some(u64::MAX), ..call(t(0), 10, 10) };
        let id = within(&store, &call, &limits).await;
        let used =
            Settled::Used { input_tokens: u64::MAX, output_tokens: u64::MAX, cost: Some(u64::MAX) };
        assert!(store.settle_spend(id, used).await.unwrap());
    }
    assert!(total(&store, Day::of(t(0))).await.tokens() >= 6_000_000_000_000);
    assert_eq!(over(&store, &call(t(1), 1, 0), &tokens(1_000_000)).await.0, Limit::Tokens);
    let endless = call(t(DAY_MS), u64::MAX, u64::MAX);
    assert_eq!(over(&store, &endless, &tokens(1_000_000)).await.0, Limit::Tokens);
}
