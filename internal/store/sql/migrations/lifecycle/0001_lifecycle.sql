-- The life of Sessions (seed 004 §3.3). A row of session_ids is never removed: an id is given once, for ever.

CREATE TABLE session_ids (
  id    TEXT PRIMARY KEY,
  owner TEXT NOT NULL
);

CREATE TABLE sessions (
  id           TEXT   PRIMARY KEY,
  owner        TEXT   NOT NULL,
  parent       TEXT   NOT NULL,       -- '' if there is none
  status       TEXT   NOT NULL CHECK (status IN ('created', 'running', 'paused', 'hitl_waiting', 'completed', 'failed', 'cancelled', 'expired')),
  version      BIGINT NOT NULL CHECK (version > 0),
  work_tree    BIGINT NOT NULL,       -- 0 or 1
  limited      BIGINT NOT NULL,       -- 0 or 1
  slot         BIGINT,                -- its owner's place that it takes; NULL if it takes none
  run          TEXT   NOT NULL,       -- '' if none holds it
  input        TEXT   NOT NULL,
  language     TEXT   NOT NULL,
  plan         TEXT   NOT NULL,       -- '' if there is none
  plan_version BIGINT NOT NULL,
  head         TEXT   NOT NULL,       -- newest checkpoint's snapshot, or ''
  response     TEXT,                  -- JSON, as options and metadata
  created_ms   BIGINT NOT NULL,
  updated_ms   BIGINT NOT NULL,
  started_ms   BIGINT,
  completed_ms BIGINT,
  expires_ms   BIGINT,                -- NULL: never
  running_ms   BIGINT,                -- running since
  tokens       BIGINT NOT NULL CHECK (tokens >= 0),
  cost_micro   BIGINT NOT NULL CHECK (cost_micro >= 0),
  execution_ms BIGINT NOT NULL,
  options      TEXT,
  metadata     TEXT,
  events       BIGINT NOT NULL,
  checkpoints  BIGINT NOT NULL,
  -- What counts against the limit has a place, and nothing else has one.
  CHECK ((slot IS NOT NULL) = (limited = 1 AND work_tree = 0 AND status IN ('created', 'running', 'paused', 'hitl_waiting')))
);

CREATE UNIQUE INDEX sessions_slot ON sessions (owner, slot) WHERE slot IS NOT NULL;
CREATE INDEX sessions_list ON sessions (owner, created_ms, id);
CREATE INDEX sessions_due ON sessions (expires_ms) WHERE expires_ms IS NOT NULL;

CREATE TABLE session_plans (
  session    TEXT   NOT NULL,
  version    BIGINT NOT NULL,
  plan       TEXT   NOT NULL,
  hash       TEXT   NOT NULL,
  body       TEXT,                    -- JSON
  reason     TEXT   NOT NULL,
  created_ms BIGINT NOT NULL,
  PRIMARY KEY (session, version)
);

CREATE TABLE session_todos (
  session      TEXT   NOT NULL,
  plan_version BIGINT NOT NULL,
  place        BIGINT NOT NULL,       -- in the plan, from 0
  id           TEXT   NOT NULL,
  title        TEXT   NOT NULL,
  status       TEXT   NOT NULL CHECK (status IN ('pending', 'in_progress', 'completed', 'failed', 'skipped')),
  retry_count  BIGINT NOT NULL,
  depends_on   TEXT,                  -- JSON list of ids
  data         TEXT,                  -- JSON, as result
  result       TEXT,
  updated_ms   BIGINT,
  PRIMARY KEY (session, plan_version, id)
);

CREATE TABLE session_requests (
  session    TEXT   NOT NULL,
  id         TEXT   NOT NULL,
  place      BIGINT NOT NULL,         -- number of the event that it was asked with
  run        TEXT   NOT NULL,
  type       TEXT   NOT NULL,
  data       TEXT,                    -- JSON, as options
  options    TEXT,
  status     TEXT   NOT NULL CHECK (status IN ('pending', 'answered', 'timeout', 'cancelled')),
  created_ms BIGINT NOT NULL,
  timeout_ms BIGINT NOT NULL,
  closed_ms  BIGINT,
  decision   TEXT,                    -- JSON
  PRIMARY KEY (session, id)
);

CREATE UNIQUE INDEX session_requests_pending ON session_requests (session) WHERE status = 'pending';
CREATE INDEX session_requests_timeout ON session_requests (timeout_ms) WHERE status = 'pending';

CREATE TABLE session_checkpoints (
  session  TEXT   NOT NULL,
  number   BIGINT NOT NULL,
  snapshot TEXT   NOT NULL,
  label    TEXT   NOT NULL,
  at_ms    BIGINT NOT NULL,
  PRIMARY KEY (session, number)
);

-- History and outbox in one: what is not published yet is still to be told.
CREATE TABLE session_events (
  session   TEXT   NOT NULL,
  seq       BIGINT NOT NULL,
  owner     TEXT   NOT NULL,
  type      TEXT   NOT NULL,
  at_ms     BIGINT NOT NULL,
  data      TEXT   NOT NULL,
  published BIGINT NOT NULL,          -- 0 or 1
  PRIMARY KEY (session, seq)
);

CREATE INDEX session_events_outbox ON session_events (at_ms, session, seq) WHERE published = 0;

CREATE TABLE session_tombstones (
  id     TEXT   PRIMARY KEY,
  owner  TEXT   NOT NULL,
  parent TEXT   NOT NULL,
  head   TEXT   NOT NULL,
  kind   TEXT   NOT NULL,
  status TEXT   NOT NULL,
  at_ms  BIGINT NOT NULL,
  purge  TEXT                         -- JSON list of snapshots; NULL: purged
);

CREATE INDEX session_tombstones_purge ON session_tombstones (at_ms, id) WHERE purge IS NOT NULL;

CREATE TABLE session_archives (
  id       TEXT PRIMARY KEY,
  document TEXT NOT NULL              -- JSON
);

-- What the Sessions that are gone added to the day on which they were created.
CREATE TABLE session_days (
  owner        TEXT   NOT NULL,
  day          BIGINT NOT NULL,       -- since 1970, UTC
  sessions     BIGINT NOT NULL,
  completed    BIGINT NOT NULL,
  failed       BIGINT NOT NULL,
  ran          BIGINT NOT NULL,
  execution_ms BIGINT NOT NULL,
  tokens       BIGINT NOT NULL,
  cost_micro   BIGINT NOT NULL,
  PRIMARY KEY (owner, day)
);
