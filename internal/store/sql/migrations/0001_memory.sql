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
  session BIGINT NOT NULL,
  item    BIGINT NOT NULL,        -- number, from 1, in the order in which items came
  id      TEXT   NOT NULL,
  at_ms   BIGINT NOT NULL,
  length  BIGINT NOT NULL,        -- in words, for BM25
  summary TEXT   NOT NULL,
  PRIMARY KEY (session, item),
  UNIQUE (session, id)
) /*clustered*/;

-- The session leads the key: what a search costs depends on its session only, and so does what it can see.
CREATE TABLE memory_keywords (
  session BIGINT NOT NULL,
  keyword BYTEA  NOT NULL,        -- UTF-8, compared as bytes in every database
  item    BIGINT NOT NULL,
  at_ms   BIGINT NOT NULL,        -- of the item: a ranking needs it of every item that it looks at
  mark    BIGINT NOT NULL,        -- bits 0-2 memory.Mark, 3-15 how often, from 16 the item's length
  PRIMARY KEY (session, keyword, item)
) /*clustered*/;
