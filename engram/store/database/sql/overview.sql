-- Named queries of the DuckDB adapter for overviews: counts and light rows. A name line, one sentence, the statement.

-- name: session_sums
-- Turns and facts of every session in which anything was said; of the facts, those of some scopes, or of all.
WITH said AS (
    SELECT session, count(*) AS turns, count(*) FILTER (trust = 'quarantined') AS quarantined,
           min("at") AS began_at, max("at") AS last_at
    FROM turns GROUP BY session
), drawn AS (
    SELECT json_extract_string(source, '$.session') AS session, count(*) AS facts FROM facts
    WHERE contains(source, '"session":"') AND (len($scopes::VARCHAR[]) = 0 OR list_contains($scopes::VARCHAR[], scope))
    GROUP BY 1
)
SELECT coalesce(s.session, d.session) AS session, coalesce(s.turns, 0) AS turns, coalesce(s.quarantined, 0) AS quarantined,
       s.began_at, s.last_at, coalesce(d.facts, 0) AS facts
FROM said s FULL JOIN drawn d ON d.session = s.session
WHERE coalesce(s.session, d.session) IS NOT NULL ORDER BY 1;

-- name: turn_yields
-- Turns of one session with how many facts were drawn from each, of some scopes or of all.
WITH drawn AS (
    SELECT json_extract_string(source, '$.turn') AS turn, count(*) AS facts FROM facts
    WHERE contains(source, '"turn":"') AND (len($scopes::VARCHAR[]) = 0 OR list_contains($scopes::VARCHAR[], scope))
    GROUP BY 1
)
SELECT t.id, t.ordinal, t.scope, t.trust = 'quarantined' AS is_quarantined, coalesce(d.facts, 0) AS facts
FROM turns t LEFT JOIN drawn d ON d.turn = t.id
WHERE t.session = $session ORDER BY t.ordinal;

-- name: find_turns
-- Turns by id, in the order in which they were said.
SELECT * FROM turns WHERE id IN (SELECT unnest($ids::VARCHAR[])) ORDER BY session, ordinal;

-- name: ids_drawn_from
-- Facts that were drawn from some turns.
SELECT id FROM facts
WHERE contains(source, '"turn":"') AND json_extract_string(source, '$.turn') IN (SELECT unnest($turns::VARCHAR[]))
ORDER BY recorded_at, id;

-- name: weeks
-- What came in each week of a zone.
WITH came AS (
    SELECT 'facts' AS what, CAST(timezone($zone, timezone('UTC', recorded_at)) AS DATE) AS day FROM facts
    UNION ALL
    SELECT 'ended', CAST(timezone($zone, timezone('UTC', known_to)) AS DATE) FROM facts
    WHERE status IN ('superseded', 'retracted') AND known_to IS NOT NULL
    UNION ALL SELECT 'entities', CAST(timezone($zone, timezone('UTC', created_at)) AS DATE) FROM entities
    UNION ALL SELECT 'turns', CAST(timezone($zone, timezone('UTC', "at")) AS DATE) FROM turns WHERE "at" IS NOT NULL
    UNION ALL SELECT 'notes', TRY_CAST("on" AS DATE) FROM notes
)
SELECT CAST(date_trunc('week', day) AS DATE) AS begins_on, count(*) FILTER (what = 'facts') AS facts,
       count(*) FILTER (what = 'ended') AS ended, count(*) FILTER (what = 'entities') AS entities,
       count(*) FILTER (what = 'turns') AS turns, count(*) FILTER (what = 'notes') AS notes
FROM came WHERE day IS NOT NULL GROUP BY 1 ORDER BY 1;

-- name: decided_between
-- Commands of some ids that were asked for between two instants.
SELECT id AS command_id, kind, actor, status, json_extract_string(result, '$.id') AS id FROM commands
WHERE asked_at >= $since::TIMESTAMP AND asked_at <= $until::TIMESTAMP AND starts_with(commands.id, $prefix)
ORDER BY position, commands.id;
