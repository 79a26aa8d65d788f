//! The rules' own few words, in the language of the turn.

/// What heads a question that got no answer, in each language.
pub(crate) const UNANSWERED: [&str; 2] = ["Unfinished, without an answer yet", "未完成，尚无回答"];

/// Labels of titles, facts and summaries.
#[derive(Debug)]
pub(super) struct Words {
    pub(super) edit: &'static str,
    pub(super) create: &'static str,
    pub(super) plan: &'static str,
    pub(super) looked_into: &'static str,
    pub(super) read: &'static str,
    pub(super) searched: &'static str,
    pub(super) asked_web: &'static str,
    pub(super) edited: &'static str,
    pub(super) created: &'static str,
    pub(super) ran: &'static str,
    pub(super) last_failing: &'static str,
    pub(super) failed: &'static str,
    passed_after: [&'static str; 2],
    pub(super) passed_later: &'static str,
    pub(super) still_fails: &'static str,
    pub(super) not_checked: &'static str,
    pub(super) not_committed: &'static str,
    pub(super) unanswered: &'static str,
    pub(super) waiting: &'static str,
    pub(super) ended_in_error: &'static str,
    pub(super) subagent: &'static str,
    pub(super) ok: &'static str,
    pub(super) stop: &'static str,
    pub(super) colon: &'static str,
    pub(super) then: &'static str,
    pub(super) requests: &'static str,
    pub(super) files_changed: &'static str,
    pub(super) files_read: &'static str,
    pub(super) commands: &'static str,
    pub(super) open_errors: &'static str,
    pub(super) decisions: &'static str,
    pub(super) findings: &'static str,
    pub(super) last_answer: &'static str,
    pub(super) todo: &'static str,
}

static ENGLISH: Words = Words {
    edit: "Edit",
    create: "Create",
    plan: "Write a plan",
    looked_into: "Looked into",
    read: "Read",
    searched: "Searched",
    asked_web: "Asked the web",
    edited: "Edited",
    created: "Created",
    ran: "Ran",
    last_failing: "Last seen failing",
    failed: "failed",
    passed_after: ["passed after editing ", ""],
    passed_later: "passed on a later run",
    still_fails: "still fails",
    not_checked: "Changed, not seen tested or committed",
    not_committed: "Changed and checked, not seen committed",
    unanswered: UNANSWERED[0],
    waiting: "Waiting for the person's answer",
    ended_in_error: "The turn ended in an error",
    subagent: "Sub-agent",
    ok: "ok",
    stop: ".",
    colon: ": ",
    then: "then",
    requests: "Requests",
    files_changed: "Files changed",
    files_read: "Files read",
    commands: "Commands",
    open_errors: "Open errors",
    decisions: "Decisions",
    findings: "Findings",
    last_answer: "Last answer",
    todo: "Left to do",
};

static CHINESE: Words = Words {
    edit: "修改",
    create: "新建",
    plan: "写计划",
    looked_into: "查看",
    read: "阅读",
    searched: "搜索",
    asked_web: "查网页",
    edited: "修改",
    created: "新建",
    ran: "运行",
    last_failing: "最后一次运行失败",
    failed: "失败",
    passed_after: ["修改 ", " 后通过"],
    passed_later: "再次运行时通过",
    still_fails: "仍然失败",
    not_checked: "已改动，未见测试或提交",
    not_committed: "已改动并检查，未见提交",
    unanswered: UNANSWERED[1],
    waiting: "等待用户回答",
    ended_in_error: "本轮以错误结束",
    subagent: "子代理",
    ok: "成功",
    stop: "；",
    colon: "：",
    then: "然后",
    requests: "请求",
    files_changed: "改动的文件",
    files_read: "读过的文件",
    commands: "命令",
    open_errors: "未解决的错误",
    decisions: "决定",
    findings: "发现",
    last_answer: "最后的回答",
    todo: "待办",
};

/// Text that came out of a tool, marked as such: one line that cannot end its own quotation.
pub(super) fn quoted(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    format!("“{}”", lines.join(" · ").replace(['“', '”'], "\""))
}

impl Words {
    /// The words of every language, to read lines that were written with them.
    pub(super) const ALL: [&'static Self; 2] = [&ENGLISH, &CHINESE];

    /// The words for a text: Chinese when a fifth of its letters are Han, else English.
    pub(super) fn of(text: &str) -> &'static Self {
        let (mut han, mut letters) = (0usize, 0usize);
        for c in text.chars().take(600).filter(|c| c.is_alphanumeric()) {
            letters += 1;
            han += usize::from(matches!(c, '\u{3400}'..='\u{9fff}'));
        }
        if han > 1 && han * 5 >= letters { &CHINESE } else { &ENGLISH }
    }

    /// That a command passed after changes to these files.
    pub(super) fn passed_after(&self, files: &str) -> String {
        let [before, after] = self.passed_after;
        format!("{before}{files}{after}")
    }
}
