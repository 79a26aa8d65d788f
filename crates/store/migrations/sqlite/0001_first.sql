-- Times are milliseconds since the Unix epoch, UTC. Lists are JSON text. A `uid` is a UUID in its
-- usual spelling. Columns have defaults so that one that got lost can be put back.

CREATE TABLE projects (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    uid          TEXT NOT NULL UNIQUE,
    name         TEXT NOT NULL DEFAULT '',
    root         TEXT,
    created_at   INTEGER NOT NULL DEFAULT 0,
    last_seen_at INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX projects_by_name ON projects (name, last_seen_at);

CREATE TABLE project_aliases (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    key        TEXT NOT NULL UNIQUE,
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE
) STRICT;
CREATE INDEX project_aliases_by_project ON project_aliases (project_id);

-- `active_since`: when it last started or was spoken to. `private_open`: its newest prompt was
-- private.
CREATE TABLE sdk_sessions (
    id               INTEGER PRIMARY KEY AUTOINCREMENT,
    uid              TEXT NOT NULL UNIQUE,
    agent            TEXT NOT NULL,
    agent_session_id TEXT NOT NULL,
    project_id       INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    conversation_id  INTEGER NOT NULL DEFAULT 0,
    status           TEXT NOT NULL DEFAULT 'active',
    prompt_counter   INTEGER NOT NULL DEFAULT 0,
    private_open     INTEGER NOT NULL DEFAULT 0,
    worktree         TEXT,
    branch           TEXT,
    first_prompt     TEXT,
    started_at       INTEGER NOT NULL DEFAULT 0,
    active_since     INTEGER NOT NULL DEFAULT 0,
    last_event_at    INTEGER NOT NULL DEFAULT 0,
    completed_at     INTEGER,
    end_reason       TEXT,
    UNIQUE (agent, agent_session_id)
) STRICT;
CREATE INDEX sdk_sessions_by_project ON sdk_sessions (project_id, last_event_at);
CREATE INDEX sdk_sessions_by_time ON sdk_sessions (last_event_at);
CREATE INDEX sdk_sessions_active ON sdk_sessions (last_event_at) WHERE status = 'active';

-- What is known of private prompts: that they were there, never what they said.
CREATE TABLE private_turns (
    id         INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL REFERENCES sdk_sessions (id) ON DELETE CASCADE,
    dedupe_key TEXT NOT NULL UNIQUE,
    turn_id    TEXT
) STRICT;
CREATE INDEX private_turns_by_session ON private_turns (session_id, turn_id);

CREATE TABLE user_prompts (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    uid        TEXT NOT NULL UNIQUE,
    session_id INTEGER NOT NULL REFERENCES sdk_sessions (id) ON DELETE CASCADE,
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    number     INTEGER NOT NULL DEFAULT 0,
    turn_id    TEXT,
    text       TEXT NOT NULL DEFAULT '',
    created_at INTEGER NOT NULL DEFAULT 0,
    UNIQUE (session_id, number)
) STRICT;
CREATE INDEX user_prompts_by_turn ON user_prompts (session_id, turn_id);
CREATE INDEX user_prompts_by_project ON user_prompts (project_id, created_at);
CREATE INDEX user_prompts_by_time ON user_prompts (created_at);

-- The durable inbox. Wide columns come last, so that reading the others touches no overflow page.
CREATE TABLE events (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id    INTEGER NOT NULL REFERENCES sdk_sessions (id) ON DELETE CASCADE,
    prompt_number INTEGER NOT NULL DEFAULT 0,
    kind          TEXT NOT NULL DEFAULT '',
    state         TEXT NOT NULL DEFAULT 'waiting',
    at            INTEGER NOT NULL DEFAULT 0,
    subagent      TEXT,
    dedupe_key    TEXT NOT NULL UNIQUE,
    digest        TEXT NOT NULL DEFAULT '{}',
    payload       TEXT NOT NULL DEFAULT '{}'
) STRICT;
CREATE INDEX events_by_session ON events (session_id);
CREATE INDEX events_by_turn ON events (session_id, prompt_number);
CREATE INDEX events_open ON events (session_id, prompt_number) WHERE state <> 'distilled';

CREATE TABLE jobs (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id    INTEGER NOT NULL REFERENCES sdk_sessions (id) ON DELETE CASCADE,
    prompt_number INTEGER NOT NULL DEFAULT 0,
    state         TEXT NOT NULL DEFAULT 'waiting',
    run_after     INTEGER NOT NULL DEFAULT 0,
    attempts      INTEGER NOT NULL DEFAULT 0,
    error         TEXT,
    UNIQUE (session_id, prompt_number)
) STRICT;
CREATE INDEX jobs_due ON jobs (state, run_after);

-- `rule_key` is empty (NULL) for rows that no rule of this database made.
CREATE TABLE observations (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    uid            TEXT NOT NULL UNIQUE,
    session_id     INTEGER REFERENCES sdk_sessions (id) ON DELETE CASCADE,
    project_id     INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    prompt_number  INTEGER NOT NULL DEFAULT 0,
    rule_key       TEXT,
    type           TEXT NOT NULL DEFAULT '',
    title          TEXT NOT NULL DEFAULT '',
    subtitle       TEXT NOT NULL DEFAULT '',
    narrative      TEXT NOT NULL DEFAULT '',
    facts          TEXT NOT NULL DEFAULT '[]',
    concepts       TEXT NOT NULL DEFAULT '[]',
    files_read     TEXT NOT NULL DEFAULT '[]',
    files_modified TEXT NOT NULL DEFAULT '[]',
    subagent       TEXT,
    source         TEXT NOT NULL DEFAULT 'rules',
    created_at     INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX observations_by_rule ON observations (session_id, prompt_number, rule_key)
    WHERE rule_key IS NOT NULL;
CREATE INDEX observations_by_session ON observations (session_id);
CREATE INDEX observations_by_project ON observations (project_id, created_at);
CREATE INDEX observations_by_time ON observations (created_at);
CREATE INDEX observations_main_by_project ON observations (project_id, created_at)
    WHERE subagent IS NULL;
CREATE INDEX observations_main_by_time ON observations (created_at) WHERE subagent IS NULL;

CREATE TABLE observation_events (
    observation_id INTEGER NOT NULL REFERENCES observations (id) ON DELETE CASCADE,
    event_id       INTEGER NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    PRIMARY KEY (observation_id, event_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX observation_events_by_event ON observation_events (event_id);

-- `slotted`: the row that distilling keeps up to date for its turn or session.
CREATE TABLE session_summaries (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    uid            TEXT NOT NULL UNIQUE,
    session_id     INTEGER REFERENCES sdk_sessions (id) ON DELETE CASCADE,
    project_id     INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    level          TEXT NOT NULL DEFAULT 'session',
    prompt_number  INTEGER NOT NULL DEFAULT 0,
    slotted        INTEGER NOT NULL DEFAULT 0,
    request        TEXT NOT NULL DEFAULT '',
    investigated   TEXT NOT NULL DEFAULT '',
    learned        TEXT NOT NULL DEFAULT '',
    completed      TEXT NOT NULL DEFAULT '',
    next_steps     TEXT NOT NULL DEFAULT '',
    notes          TEXT NOT NULL DEFAULT '',
    files_read     TEXT NOT NULL DEFAULT '[]',
    files_modified TEXT NOT NULL DEFAULT '[]',
    source         TEXT NOT NULL DEFAULT 'rules',
    created_at     INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX session_summaries_slots ON session_summaries (session_id, level, prompt_number)
    WHERE slotted = 1;
CREATE INDEX session_summaries_by_session ON session_summaries (session_id, level, prompt_number);
CREATE INDEX session_summaries_by_project ON session_summaries (project_id, level, created_at);
CREATE INDEX session_summaries_by_time ON session_summaries (level, created_at);

CREATE TABLE snapshots (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    uid            TEXT NOT NULL UNIQUE,
    session_id     INTEGER NOT NULL REFERENCES sdk_sessions (id) ON DELETE CASCADE,
    project_id     INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    up_to_event_id INTEGER NOT NULL DEFAULT 0,
    trigger        TEXT NOT NULL DEFAULT '',
    text           TEXT NOT NULL DEFAULT '',
    agent_summary  TEXT,
    created_at     INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX snapshots_by_session ON snapshots (session_id, created_at);
CREATE INDEX snapshots_by_project ON snapshots (project_id);

CREATE TABLE memories (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    uid        TEXT NOT NULL UNIQUE,
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    title      TEXT NOT NULL DEFAULT '',
    text       TEXT NOT NULL DEFAULT '',
    text_key   TEXT NOT NULL,
    metadata   TEXT NOT NULL DEFAULT 'null',
    files      TEXT NOT NULL DEFAULT '[]',
    origin     TEXT NOT NULL DEFAULT 'told',
    created_at INTEGER NOT NULL DEFAULT 0,
    updated_at INTEGER NOT NULL DEFAULT 0,
    UNIQUE (project_id, text_key)
) STRICT;
CREATE INDEX memories_by_project ON memories (project_id, updated_at);
CREATE INDEX memories_by_time ON memories (updated_at);

CREATE TABLE memory_history (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    memory_id INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    change    TEXT NOT NULL DEFAULT '',
    text      TEXT NOT NULL DEFAULT '',
    at        INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX memory_history_by_memory ON memory_history (memory_id);

-- Forgotten rows. `rule_key` says which finding of its turn a distilled row was.
CREATE TABLE tombstones (
    uid           TEXT PRIMARY KEY,
    kind          TEXT NOT NULL DEFAULT '',
    session_id    INTEGER,
    prompt_number INTEGER NOT NULL DEFAULT 0,
    rule_key      TEXT,
    at            INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX tombstones_by_rule ON tombstones (session_id, prompt_number, kind, rule_key);

CREATE TABLE settings (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;

CREATE TABLE counters (
    name  TEXT PRIMARY KEY,
    value INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
