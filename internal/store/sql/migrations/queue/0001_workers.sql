-- Workers at work: how many jobs each may do and does. One that has not been seen for long is dead.

CREATE TABLE session_workers (
  name    TEXT   PRIMARY KEY,
  slots   BIGINT NOT NULL CHECK (slots > 0),
  busy    BIGINT NOT NULL CHECK (busy >= 0),
  seen_ms BIGINT NOT NULL                      -- by the database's clock
);
