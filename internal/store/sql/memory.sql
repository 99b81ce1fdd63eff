-- name: session
SELECT session, snapshot, analyser, items, length, last FROM memory_sessions WHERE ref = $1

-- name: lock-session
SELECT session, snapshot, analyser, items, length, last FROM memory_sessions WHERE ref = $1 /*lock*/

-- name: new-session
INSERT INTO memory_sessions (session, ref, snapshot, analyser, items, length, last)
SELECT COALESCE(MAX(session), 0) + 1, $1, '', $2, 0, 0, 0 FROM memory_sessions WHERE true
ON CONFLICT DO NOTHING

-- name: set-session
UPDATE memory_sessions SET snapshot = $1, analyser = $2, items = $3, length = $4, last = $5 WHERE session = $6

-- name: every-session
SELECT CAST(COALESCE(SUM(items), 0) AS BIGINT), CAST(COALESCE(SUM(length), 0) AS BIGINT), COUNT(*) FILTER (WHERE analyser <> $1 AND items > 0)
FROM memory_sessions

-- name: drop-session
DELETE FROM memory_sessions WHERE session = $1

-- name: drop-items
DELETE FROM memories WHERE session = $1

-- name: drop-keywords
DELETE FROM memory_keywords WHERE session = $1

-- name: add-item
INSERT INTO memories (session, item, id, at_ms, length, keywords, summary) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (session, id) DO NOTHING

-- name: forget-item
DELETE FROM memories WHERE session = $1 AND id = $2 RETURNING item, length

-- name: block
SELECT keyword, postings FROM memory_keywords WHERE session = $1 AND block = $2

-- name: set-postings
UPDATE memory_keywords SET postings = $1 WHERE session = $2 AND keyword = $3 AND block = $4

-- name: drop-postings
DELETE FROM memory_keywords WHERE session = $1 AND keyword = $2 AND block = $3

-- name: postings
SELECT session, block, postings FROM memory_keywords WHERE session = $1 AND keyword >= $2 AND keyword < $3

-- name: postings-everywhere
SELECT k.session, k.block, k.postings FROM memory_sessions s CROSS JOIN memory_keywords k
WHERE k.session = s.session AND k.keyword >= $1 AND k.keyword < $2

-- name: item
SELECT id, at_ms, summary FROM memories WHERE session = $1 AND item = $2

-- name: list
SELECT id, at_ms, summary FROM memories WHERE session = $1 ORDER BY at_ms DESC, item DESC

-- name: list-everywhere
SELECT id, at_ms, summary FROM memories ORDER BY at_ms DESC, session DESC, item DESC

-- name: miscounted
SELECT s.ref FROM memory_sessions s
WHERE s.items <> (SELECT COUNT(*) FROM memories m WHERE m.session = s.session)
   OR s.length <> (SELECT COALESCE(SUM(m.length), 0) FROM memories m WHERE m.session = s.session)
   OR s.last < (SELECT COALESCE(MAX(m.item), 0) FROM memories m WHERE m.session = s.session)

-- name: unfindable
SELECT COUNT(*) FROM memories m WHERE NOT EXISTS (SELECT 1 FROM memory_sessions s WHERE s.session = m.session)

-- name: every-item
SELECT session, item, at_ms, keywords FROM memories

-- name: every-block
SELECT session, block, postings FROM memory_keywords
