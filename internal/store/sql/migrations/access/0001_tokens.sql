-- Tokens of the service's users. A token itself is nowhere: its SHA-256 is.

CREATE TABLE access_tokens (
  id         TEXT   PRIMARY KEY,
  owner      TEXT   NOT NULL,       -- the user; '' for a token that only reads metrics
  label      TEXT   NOT NULL,
  metrics    BIGINT NOT NULL,       -- 0 or 1
  hash       TEXT   NOT NULL UNIQUE,
  created_ms BIGINT NOT NULL,
  expires_ms BIGINT,                -- NULL: never
  revoked_ms BIGINT                 -- NULL: it is not
);

CREATE INDEX access_tokens_by_owner ON access_tokens (owner, created_ms);
