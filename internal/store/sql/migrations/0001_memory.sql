-- Memory (seed 003): a projection of snapshots, searched by keyword. Numbers stand for sessions and items because every
-- keyword of every item repeats them.

CREATE TABLE memory_sessions (
  session  BIGINT PRIMARY KEY,    -- number, from 1
  ref      TEXT   NOT NULL UNIQUE,
  snapshot TEXT   NOT NULL,       -- where the session stands; '' before the first
  analyser BIGINT NOT NULL,       -- memory.AnalyserVersion that made its keywords
  items    BIGINT NOT NULL,       -- how many there are
  length   BIGINT NOT NULL,       -- sum of their lengths
  last     BIGINT NOT NULL        -- highest item number ever given
);

CREATE TABLE memories (
  session  BIGINT NOT NULL,
  item     BIGINT NOT NULL,       -- number, from 1, in the order in which items came
  id       TEXT   NOT NULL,
  at_ms    BIGINT NOT NULL,
  length   BIGINT NOT NULL,       -- in words, for BM25
  keywords BIGINT NOT NULL,       -- how many it has in memory_keywords, for the check
  summary  TEXT   NOT NULL,
  PRIMARY KEY (session, item),
  UNIQUE (session, id)
) /*clustered*/;

-- The session leads the key: what a search costs depends on its session only, and so does what it can see. One row holds
-- what up to 256 neighbouring items have of a keyword (postings.go), because a search reads many and pays by the row.
CREATE TABLE memory_keywords (
  session  BIGINT NOT NULL,
  keyword  BYTEA  NOT NULL,       -- UTF-8, compared as bytes in every database
  block    BIGINT NOT NULL,       -- item / 256
  postings BYTEA  NOT NULL,
  PRIMARY KEY (session, keyword, block)
) /*clustered*/;
