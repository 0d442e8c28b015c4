-- Named queries of the DuckDB adapter. A name line, one sentence, the statement.
-- What may be one of many is looked up by `IN (SELECT unnest(...))`. For a few of a small file `with_few` makes
-- `list_contains` of it, which takes half a millisecond less, and with 2,000 in 30,000 rows twenty times as long.

-- name: column_types
-- Columns and types of every table of the attached file.
SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE database_name = 'store' ORDER BY table_name, column_index;

-- name: primary_keys
-- Columns that tell the rows of every table of the attached file apart.
SELECT table_name, constraint_column_names FROM duckdb_constraints() WHERE database_name = 'store' AND constraint_type = 'PRIMARY KEY';

-- name: meta
-- What the file is: the format of its tables, and the place in the journal that they stand at.
SELECT key, value FROM meta;

-- name: entities_by_name
-- Entities that one of the names (paths, or case-folded titles, aliases and slugs) can mean.
SELECT * FROM entities WHERE path IN (SELECT unnest($paths::VARCHAR[])) OR path IN (SELECT path FROM
    (SELECT path, unnest(names) AS name FROM entities) WHERE name IN (SELECT unnest($names::VARCHAR[])));

-- name: entities_at
-- Entities by path.
SELECT * FROM entities WHERE path IN (SELECT unnest($paths::VARCHAR[]));

-- name: redirects_at
-- Paths that an entity has left, by path.
SELECT path, "to", next_number FROM redirects WHERE path IN (SELECT unnest($paths::VARCHAR[]));

-- name: every_entity
-- All entities.
SELECT * FROM entities;

-- name: redirects_by_name
-- Paths that an entity has left, by path or by their last part; without names, all of them.
SELECT path, "to", next_number FROM redirects
WHERE len($names::VARCHAR[]) = 0 OR list_contains($names::VARCHAR[], path) OR list_contains($names::VARCHAR[], slug) ORDER BY path;

-- name: facts_around
-- Every version of every fact that is about one of the entities or names it.
SELECT * FROM facts WHERE list_contains($paths::VARCHAR[], entity) OR list_has_any(related, $paths::VARCHAR[]);

-- name: facts_of_scopes
-- Every version of every fact that is private to one of these.
SELECT * FROM facts WHERE list_contains($scopes::VARCHAR[], scope);

-- name: observations_around
-- Observations that are about one of the entities, or suggest a fact about it.
SELECT * FROM observations WHERE list_contains($paths::VARCHAR[], entity)
    OR list_contains($paths::VARCHAR[], json_extract_string(suggestion, '$.entity'));

-- name: pairs_around
-- Tensions that somebody said are none, of which one side is a statement about one of the entities.
SELECT * FROM tensions WHERE id IN (SELECT id FROM (SELECT id, unnest(pair) AS side FROM tensions)
    WHERE list_contains($paths::VARCHAR[], split_part(side, chr(10), 1)));

-- name: undoables_by_id
-- What some commands did that can be taken back.
SELECT * FROM undoables WHERE list_contains($ids::VARCHAR[], id);

-- name: undoables_of_kind
-- What commands of some kinds did, as far as it stands.
SELECT * FROM undoables WHERE undone_at IS NULL AND list_contains($kinds::VARCHAR[], kind);

-- name: undoables_latest
-- The latest of some actors that stands, and is no undo itself: with words that were erased and without, a forgetting
-- and others.
SELECT * FROM undoables WHERE undone_at IS NULL AND kind <> 'undo' AND list_contains($actors::VARCHAR[], actor)
QUALIFY row_number() OVER (PARTITION BY actor, contains(changes, '"[forgotten]"'), kind = 'forget' ORDER BY number DESC) = 1;

-- name: facts_by_full_id
-- Facts by id.
SELECT * FROM facts WHERE id IN (SELECT unnest($ids::VARCHAR[]));

-- name: facts_to_compare
-- Facts that a new statement may repeat or contradict: same fingerprint (also what waits and what was taken back), same
-- slot, the newest of the same skeleton, by equi-joins;
-- and every active fact of an entity under which few were born, for likeness by words.
WITH keys AS (
    SELECT unnest(from_json($keys::JSON,
        '[{"entity":"VARCHAR","fingerprint":"VARCHAR","skeleton":"VARCHAR","attribute":"VARCHAR"}]'), recursive := true)
), wanted AS (
    SELECT f.id FROM facts f JOIN keys k ON f.entity = k.entity AND f.fingerprint = k.fingerprint
        WHERE f.status <> 'superseded' OR f.was_wrong
    UNION (SELECT f.id FROM facts f JOIN keys k ON f.entity = k.entity AND f.skeleton = k.skeleton WHERE f.status = 'active'
        QUALIFY row_number() OVER (PARTITION BY f.entity, f.scope, f.skeleton, k.fingerprint ORDER BY f.recorded_at DESC, f.id DESC) <= $few)
    UNION SELECT f.id FROM facts f JOIN keys k ON f.entity = k.entity AND f.attribute = k.attribute WHERE f.status = 'active'
    UNION SELECT f.id FROM facts f JOIN entities e ON f.entity = e.path
        WHERE f.status = 'active' AND e.next_number <= $few AND e.path IN (SELECT entity FROM keys)
)
SELECT * FROM facts WHERE id IN (SELECT id FROM wanted);

-- name: facts_to_renew
-- The newest facts under each of these keys in its scope that hold or wait to be believed: a new statement may take the
-- place of some, or be outdated by others.
WITH wanted AS (
    SELECT unnest(from_json($wanted::JSON, '[{"scope":"VARCHAR","key":"VARCHAR"}]'), recursive := true)
), met AS (
    SELECT f.id, f.recorded_at, w.scope, w.key FROM (
        SELECT id, recorded_at, scope, unnest(renewal_keys) AS key FROM facts WHERE status IN ('active', 'candidate')
    ) f JOIN wanted w ON f.key = w.key AND f.scope = w.scope
), newest AS (
    SELECT id FROM met QUALIFY row_number() OVER (PARTITION BY scope, key ORDER BY recorded_at DESC, id DESC) <= $most
)
SELECT * FROM facts WHERE id IN (SELECT id FROM newest);
-- name: count_facts
-- How many versions there are.
SELECT count(*) FROM facts;

-- name: facts_to_derive
-- What the columns that follow from the words of facts are made of, with what stands in them, page by page.
SELECT id, text, category, status, superseded_by, valid_to, renewal_keys, ends_at FROM facts
WHERE id > $after ORDER BY id LIMIT $most;

-- name: derive_facts
-- Write the columns that follow from the words of these facts.
UPDATE facts SET renewal_keys = made.renewal_keys, ends_at = made.ends_at FROM (
    SELECT unnest(from_json($rows::JSON, '[{"id":"VARCHAR","renewal_keys":["VARCHAR"],"ends_at":"TIMESTAMP"}]'), max_depth := 2)
) made WHERE facts.id = made.id;

-- name: facts_made_of
-- Facts of which one of these is a source.
SELECT * FROM facts WHERE list_has_any(derived_from, $ids::VARCHAR[]);

-- name: facts_to_end
-- Active facts that go on until one of these begins.
SELECT * FROM facts WHERE status = 'active' AND superseded_by IN (SELECT unnest($ids::VARCHAR[]));

-- name: facts_before
-- What held before in some slots (entity, newline, attribute).
SELECT * FROM facts WHERE status = 'superseded' AND NOT was_wrong
    AND entity || chr(10) || attribute IN (SELECT unnest($slots::VARCHAR[]));

-- name: facts_said_in
-- The newest statements of each of these sessions that hold or wait to be believed: a correction there may mean them.
SELECT * FROM facts
WHERE status IN ('active', 'candidate') AND list_contains($sessions::VARCHAR[], json_extract_string(source, '$.session'))
QUALIFY row_number() OVER (
    PARTITION BY json_extract_string(source, '$.session') ORDER BY recorded_at DESC, id DESC) <= $most
ORDER BY recorded_at, id;

-- name: facts_mentioning
-- Of the facts of a scope that hold or wait to be believed, those in which the most of these phrases in small letters
-- stand, and at least one: a correction may mean one of them.
SELECT * FROM facts
WHERE status IN ('active', 'candidate') AND scope = $scope
    AND list_bool_or(list_transform($phrases::VARCHAR[], lambda phrase: contains(lower(text), phrase)))
ORDER BY len(list_filter($phrases::VARCHAR[], lambda phrase: contains(lower(text), phrase))) DESC, recorded_at DESC, id DESC
LIMIT $most;

-- name: last_turns
-- The newest turns of each of these sessions, and those before each of these turns: what was said since a statement.
SELECT t.* FROM turns t WHERE list_contains($sessions::VARCHAR[], t.session)
QUALIFY row_number() OVER (PARTITION BY t.session ORDER BY t.ordinal DESC) <= $most
UNION ALL
SELECT t.* FROM turns t JOIN (SELECT session, ordinal FROM turns WHERE id IN (SELECT unnest($ids::VARCHAR[]))) said
    ON said.session = t.session AND t.ordinal BETWEEN said.ordinal - $most AND said.ordinal;

-- name: usages_by_id
-- Overlays by fact id.
SELECT * FROM usages WHERE fact_id IN (SELECT unnest($ids::VARCHAR[]));

-- name: all_usages
-- Every overlay.
SELECT * FROM usages;

-- name: commands_by_id
-- Results of commands.
SELECT result FROM commands WHERE id IN (SELECT unnest($ids::VARCHAR[]));

-- name: sessions_by_name
-- Sessions by name.
SELECT * FROM sessions WHERE list_contains($names::VARCHAR[], name);

-- name: tensions_by_id
-- Tensions by id.
SELECT * FROM tensions WHERE list_contains($ids::VARCHAR[], id);

-- name: open_tensions_of_facts
-- Open tensions that touch one of the facts.
SELECT * FROM tensions WHERE status = 'open'
    AND (fact1 IN (SELECT unnest($ids::VARCHAR[])) OR fact2 IN (SELECT unnest($ids::VARCHAR[])));

-- name: tensions_of_pairs
-- Tensions that somebody said are none, of which one side says what one of these says (entity, newline, fingerprint).
SELECT * FROM tensions WHERE status = 'resolved' AND list_has_any(pair, $sides::VARCHAR[]);

-- name: observations_by_id
-- Observations by id.
SELECT * FROM observations WHERE list_contains($ids::VARCHAR[], id);

-- name: observations_like
-- Observations with the same sentence, or with at least half of all their words in common.
SELECT * FROM observations
WHERE fingerprint = $fingerprint
   OR 3 * len(list_intersect(words, $words::VARCHAR[])) >= len(words) + len($words::VARCHAR[]) AND len(words) > 0;

-- name: list_observations
-- Observations of one status, or all.
SELECT * FROM observations WHERE $status = 'all' OR status = $status ORDER BY id;

-- name: settlements_by_id
-- Decisions of reviews by id.
SELECT * FROM settlements WHERE list_contains($ids::VARCHAR[], id);

-- name: settlements_of
-- Decisions that stand, about these things; "*" asks for the latest one of all.
SELECT * FROM settlements WHERE undone_at IS NULL AND (list_contains($ids::VARCHAR[], subject) OR list_contains($ids::VARCHAR[], split_part(subject, '/', 2))
    OR list_contains($ids::VARCHAR[], '*')
       AND id = (SELECT id FROM settlements WHERE undone_at IS NULL ORDER BY len(id) DESC, id DESC LIMIT 1));

-- name: numbers
-- How many tensions, observations, decisions of reviews, undoable commands and sent handoffs there ever were: the next
-- one's number.
SELECT (SELECT count(*) FROM tensions) AS tensions, (SELECT count(*) FROM observations) AS observations,
       (SELECT count(*) FROM settlements) AS settlements, (SELECT count(*) FROM undoables) AS undoables,
       (SELECT count(*) FROM handoffs) AS handoffs;

-- name: handoffs_by_id
-- Sent handoffs by id.
SELECT * FROM handoffs WHERE list_contains($ids::VARCHAR[], id);

-- name: list_handoffs
-- Sent handoffs of one status, or all, oldest first.
SELECT * FROM handoffs WHERE $status = 'all' OR status = $status ORDER BY len(id), id;

-- name: list_settlements
-- Every decision of a review.
SELECT * FROM settlements ORDER BY len(id), id;

-- name: known_turn_ids
-- Which of the turn ids are stored.
SELECT id FROM turns WHERE id IN (SELECT unnest($ids::VARCHAR[]));

-- name: known_note_ids
-- Which of the note entry ids are stored.
SELECT id FROM notes WHERE id IN (SELECT unnest($ids::VARCHAR[]));

-- name: known_command_ids
-- Which of the commands are decided.
SELECT id FROM commands WHERE id IN (SELECT unnest($ids::VARCHAR[]));

-- name: turns_by_id
-- Turns by id.
SELECT * FROM turns WHERE id IN (SELECT unnest($ids::VARCHAR[]));

-- name: notes_by_id
-- Note entries by id.
SELECT * FROM notes WHERE id IN (SELECT unnest($ids::VARCHAR[]));

-- name: find_notes
-- Note entries that stand in one of these notes, or have the bytes of one of these hashes.
SELECT * FROM notes WHERE path IN (SELECT unnest($paths::VARCHAR[])) OR sha256 IN (SELECT unnest($hashes::VARCHAR[]))
ORDER BY path, "start", id;

-- name: notes_naming
-- Texts of note entries in which one of these beginnings of names stands, the newest few for each.
WITH lowered AS MATERIALIZED (SELECT id, text, "on", lower(text) AS low FROM notes),
    named AS (SELECT unnest($names::VARCHAR[]) AS name),
    found AS (SELECT l.id, l.text, row_number() OVER (PARTITION BY n.name ORDER BY l."on" DESC NULLS LAST, l.id) AS place
        FROM lowered l JOIN named n ON contains(l.low, n.name))
SELECT id, any_value(text) AS text FROM found WHERE place <= $each GROUP BY id ORDER BY id;

-- name: list_facts
-- Facts that pass a filter. A condition below a line `-- when: NAME` stands only in what is asked with that parameter:
-- the engine takes longer to plan all of them than to read some thousand rows.
SELECT * FROM facts
WHERE true
-- when: entity
  AND entity = $entity
-- when: category
  AND category = $category
-- when: tag
  AND list_contains(tags, $tag)
-- when: status
  AND status = $status
-- when: trust
  AND trust = $trust
-- when: since
  AND recorded_at >= $since::TIMESTAMP
-- when: ids
  AND id IN (SELECT unnest($ids::VARCHAR[]))
-- when: scopes
  AND list_contains($scopes::VARCHAR[], scope)
-- when: from_entity
  AND entity >= $from_entity
-- when: upto_entity
  AND entity <= $upto_entity
-- when: entities
  AND entity IN (SELECT unnest($entities::VARCHAR[]))
-- when: naming
  AND list_has_any(related, $naming::VARCHAR[])
-- when: values
  AND list_contains($values::VARCHAR[], lower("value"))
-- when: path
  AND starts_with(json_extract_string(source, '$.path'), $path)
-- when: made_of
  AND list_has_any(derived_from, $made_of::VARCHAR[])
-- when: saying
  AND list_bool_or(list_transform($saying::VARCHAR[], lambda phrase: contains(lower(text), phrase)))
-- when: marked
  AND (list_contains($marked::VARCHAR[], category) OR list_has_any(tags, $marked::VARCHAR[]))
-- when: newest
QUALIFY row_number() OVER (ORDER BY recorded_at DESC, id DESC) <= $newest
-- always
ORDER BY entity, number, id;

-- name: held_counts
-- How many facts of each entity hold at a moment, of these scopes or of all.
SELECT entity, count(*) AS facts FROM facts
WHERE status = 'active' AND (len($scopes::VARCHAR[]) = 0 OR list_contains($scopes::VARCHAR[], scope))
  AND (valid_from <= $now::TIMESTAMP OR valid_from = recorded_at) AND (ends_at IS NULL OR $now::TIMESTAMP < ends_at)
GROUP BY entity;

-- name: rated_facts
-- Facts that somebody rated, with the confidence with which they were stated.
SELECT f.id, f.confidence, u.useful_count, u.wrong_count
FROM usages u JOIN facts f ON f.id = u.fact_id
WHERE u.useful_count + u.wrong_count > 0
ORDER BY f.id;

-- name: learnt_counts
-- How many active facts of each entity were recorded since an instant.
SELECT entity, count(*) AS facts FROM facts
WHERE status = 'active' AND trust <> 'quarantined' AND recorded_at >= $since::TIMESTAMP
  AND (len($scopes::VARCHAR[]) = 0 OR list_contains($scopes::VARCHAR[], scope))
GROUP BY entity;

-- name: learnt_facts
-- The newest of those facts, some of each of these entities.
SELECT * FROM facts
WHERE status = 'active' AND trust <> 'quarantined' AND recorded_at >= $since::TIMESTAMP
  AND (len($scopes::VARCHAR[]) = 0 OR list_contains($scopes::VARCHAR[], scope))
  AND entity IN (SELECT unnest($entities::VARCHAR[]))
QUALIFY row_number() OVER (PARTITION BY entity ORDER BY recorded_at DESC, valid_from DESC, number DESC, id) <= $each
ORDER BY recorded_at DESC, valid_from DESC, number DESC, id;

-- name: held_ids
-- Facts that held at a moment of the world as it was known at another one, as rules/temporal.py tells it; where what was
-- believed before may count, no more than that is said.
SELECT id, $as_known IS NOT NULL AND beliefs <> '[]' AS may_have_held FROM facts
WHERE trust <> 'quarantined' AND ($as_known IS NULL OR recorded_at <= $as_known::TIMESTAMP)
  AND ($as_known IS NOT NULL AND beliefs <> '[]'
       OR $as_of IS NULL AND status = 'active' AND (valid_from <= $as_known::TIMESTAMP OR valid_from = recorded_at)
          AND (ends_at IS NULL OR $as_known::TIMESTAMP < ends_at)
       OR $as_of IS NOT NULL AND (status = 'active' OR (status = 'superseded' AND NOT was_wrong))
          AND valid_from <= $as_of::TIMESTAMP AND (ends_at IS NULL OR $as_of::TIMESTAMP < ends_at))
ORDER BY may_have_held
LIMIT $most;

-- name: lineage
-- One chain of versions, oldest first.
SELECT * FROM facts WHERE lineage = $lineage ORDER BY version, recorded_at, id;

-- name: facts_by_short_id
-- Facts whose id ends with a short form such as sergey-001.
SELECT * FROM facts WHERE split_part(id, '/', 2) IN (SELECT unnest($ids::VARCHAR[])) ORDER BY id;

-- name: list_entities
-- Entities: every one, or those of which a fact of one of these scopes tells that is not quarantined.
SELECT * EXCLUDE (names) FROM entities WHERE len($scopes::VARCHAR[]) = 0 OR path IN
    (SELECT entity FROM facts WHERE list_contains($scopes::VARCHAR[], scope) AND trust <> 'quarantined')
ORDER BY path;

-- name: list_sessions
-- Every session.
SELECT * FROM sessions ORDER BY name;

-- name: list_tensions
-- Tensions of one status, or all.
SELECT * FROM tensions WHERE $status = 'all' OR status = $status ORDER BY id;

-- name: list_notes
-- Every note entry.
SELECT * FROM notes ORDER BY path, "start", id;

-- name: list_turns
-- Turns of one session, or of all, from a place on.
SELECT * FROM turns WHERE ($session = '' OR session = $session) AND ordinal >= $since ORDER BY session, ordinal;

-- name: turn_counts
-- How many turns each session holds; without names, of all sessions.
SELECT session, count(*) FROM turns
WHERE len($names::VARCHAR[]) = 0 OR session IN (SELECT unnest($names::VARCHAR[]))
GROUP BY session ORDER BY session;

-- name: watermarks
-- Marks of one consumer.
SELECT key, value FROM watermarks WHERE consumer = $consumer ORDER BY key;

-- name: entity_counts
-- Facts by entity: those that hold at a moment and that everybody may see, all versions that are private to nobody, and
-- all versions.
SELECT entity, count(*) FILTER (status = 'active' AND scope = 'shared' AND trust <> 'quarantined'
           AND ($now IS NULL OR valid_from <= $now::TIMESTAMP OR valid_from = recorded_at)
           AND ($now IS NULL OR ends_at IS NULL OR $now::TIMESTAMP < ends_at)) AS shown,
       count(*) FILTER (scope = 'shared') AS shared, count(*) AS versions
FROM facts GROUP BY entity;

-- name: fact_counts
-- Facts by how they stand at a moment, as rules/temporal.py tells it; without a moment, by status.
SELECT CASE WHEN status = 'active' AND valid_from > $now::TIMESTAMP AND valid_from <> recorded_at THEN 'planned'
            WHEN status = 'active' AND ends_at <= $now::TIMESTAMP THEN 'ended' ELSE status END AS standing,
       count(*) AS facts
FROM facts GROUP BY standing ORDER BY standing;

-- name: turned_entities
-- Entities of which a fact that everybody may see begins or ends between two moments, or the day on which it is due.
SELECT DISTINCT entity FROM facts
WHERE status = 'active' AND scope = 'shared'
  AND (valid_from > $since::TIMESTAMP AND valid_from <= $until::TIMESTAMP AND valid_from <> recorded_at
       OR ends_at > $since::TIMESTAMP AND ends_at <= $until::TIMESTAMP
       OR ends_at IS NULL AND valid_to > $since::TIMESTAMP - INTERVAL 1 DAY AND valid_to <= $until::TIMESTAMP)
ORDER BY entity;

-- name: table_counts
-- Rows by table; one after the other, for as columns of one row they take ten times as long to plan.
SELECT 'entities' AS name, count(*) AS rows FROM entities
UNION ALL SELECT 'facts', count(*) FROM facts
UNION ALL SELECT 'turns', count(*) FROM turns
UNION ALL SELECT 'notes', count(*) FROM notes
UNION ALL SELECT 'sessions', count(*) FROM sessions
UNION ALL SELECT 'commands', count(*) FROM commands
UNION ALL SELECT 'quarantined', count(*) FROM facts WHERE trust = 'quarantined'
UNION ALL SELECT 'quarantined_turns', count(*) FROM turns WHERE trust = 'quarantined'
UNION ALL SELECT 'open_tensions', count(*) FROM tensions WHERE status = 'open'
UNION ALL SELECT 'open_observations', count(*) FROM observations WHERE status = 'open';

-- name: waiting_mark
-- A digest of what waits for review.
SELECT md5(coalesce((SELECT string_agg(id, ' ' ORDER BY id) FROM tensions WHERE status = 'open'), '') || ' '
    || coalesce((SELECT string_agg(id || '*' || seen, ' ' ORDER BY id) FROM observations WHERE status = 'open'), '')) AS mark;

-- name: fact_uses
-- How many of the facts that hold at a moment were last used on which day of a zone, by what else their tier depends on.
SELECT CAST(timezone($zone, timezone('UTC', greatest(f.recorded_at, coalesce(u.last_accessed_at, f.recorded_at),
           coalesce(u.last_confirmed_at, f.recorded_at)))) AS DATE) AS used_on,
       f.confidence, coalesce(u.access_count, 0) AS access_count, count(*) AS facts
FROM facts f LEFT JOIN usages u ON u.fact_id = f.id
WHERE f.status = 'active' AND (f.valid_from <= $now::TIMESTAMP OR f.valid_from = f.recorded_at)
  AND (f.ends_at IS NULL OR $now::TIMESTAMP < f.ends_at)
GROUP BY ALL ORDER BY ALL;

-- name: fact_spans
-- How many facts of each entity, and how many of them that name another one, hold from which day of a zone until which,
-- by what their tier depends on: days since 1970. Facts with an attribute are left out, and in a past of our knowledge
-- those that were believed otherwise before: `fact_lives` has them, for more than their own life decides about them.
SELECT entity, other, begins_day, ends_day, used_day, confidence, access_count, count(*) AS facts FROM (
SELECT f.entity, unnest(list_prepend(NULL, f.related)) AS other,
       CAST(timezone($zone, timezone('UTC', f.valid_from)) AS DATE) - DATE '1970-01-01' AS begins_day,
       CAST(timezone($zone, timezone('UTC', f.ends_at)) AS DATE) - DATE '1970-01-01' AS ends_day,
       CAST(timezone($zone, timezone('UTC', greatest(f.recorded_at, coalesce(u.last_accessed_at, f.recorded_at), coalesce(u.last_confirmed_at, f.recorded_at)))) AS DATE) - DATE '1970-01-01' AS used_day,
       f.confidence, coalesce(u.access_count, 0) AS access_count
FROM facts f LEFT JOIN usages u ON u.fact_id = f.id
WHERE f.trust <> 'quarantined' AND f.attribute IS NULL AND (f.status = 'active' OR (f.status = 'superseded' AND NOT f.was_wrong))
-- when: from_entity
  AND f.entity >= $from_entity
-- when: upto_entity
  AND f.entity <= $upto_entity
-- when: scopes
  AND list_contains($scopes::VARCHAR[], f.scope)
-- when: as_known
  AND f.recorded_at <= $as_known::TIMESTAMP AND f.beliefs = '[]'
-- when: as_of
  AND f.valid_from <= $as_of::TIMESTAMP AND (f.ends_at IS NULL OR $as_of::TIMESTAMP < f.ends_at)
-- when: now
  AND f.status = 'active' AND (f.valid_from <= $now::TIMESTAMP OR f.valid_from = f.recorded_at)
  AND (f.ends_at IS NULL OR $now::TIMESTAMP < f.ends_at)
-- always
) GROUP BY ALL;

-- name: entity_tags
-- Which tags the facts of each entity have, of the same facts as in `fact_spans`.
SELECT DISTINCT f.entity, unnest(f.tags) AS tag FROM facts f
WHERE f.trust <> 'quarantined' AND f.attribute IS NULL AND (f.status = 'active' OR (f.status = 'superseded' AND NOT f.was_wrong))
-- when: scopes
  AND list_contains($scopes::VARCHAR[], f.scope)
-- when: as_known
  AND f.recorded_at <= $as_known::TIMESTAMP AND f.beliefs = '[]'
-- when: as_of
  AND f.valid_from <= $as_of::TIMESTAMP AND (f.ends_at IS NULL OR $as_of::TIMESTAMP < f.ends_at)
-- when: now
  AND f.status = 'active' AND (f.valid_from <= $now::TIMESTAMP OR f.valid_from = f.recorded_at)
  AND (f.ends_at IS NULL OR $now::TIMESTAMP < f.ends_at)
-- always
ORDER BY ALL;

-- name: fact_lives
-- What rules on time ask of the facts that `fact_spans` leaves out; `joining` adds those that name other entities.
SELECT f.id, f.entity, f.scope, f.attribute, f."value", f.related, f.tags, f.confidence, f.trust, f.status, f.valid_from,
       f.valid_to, f.category, f.superseded_by, CASE WHEN f.category = 'commitment' THEN f.text ELSE '' END AS text,
       f.recorded_at, f.was_wrong, f.beliefs, coalesce(u.access_count, 0) AS access_count,
       CAST(timezone($zone, timezone('UTC', greatest(f.recorded_at, coalesce(u.last_accessed_at, f.recorded_at), coalesce(u.last_confirmed_at, f.recorded_at)))) AS DATE) - DATE '1970-01-01' AS used_day
FROM facts f LEFT JOIN usages u ON u.fact_id = f.id
WHERE f.trust <> 'quarantined' AND ((f.status = 'active' OR (f.status = 'superseded' AND NOT f.was_wrong)) AND (f.attribute IS NOT NULL
-- when: joining
    OR len(f.related) >= $joining
-- always
  )
-- when: as_known
  OR f.beliefs <> '[]'
-- always
  )
-- when: as_known
  AND f.recorded_at <= $as_known::TIMESTAMP
-- when: from_entity
  AND f.entity >= $from_entity
-- when: upto_entity
  AND f.entity <= $upto_entity
-- when: scopes
  AND list_contains($scopes::VARCHAR[], f.scope)
-- always
ORDER BY f.entity, f.number, f.id;

-- name: fact_wear
-- Live facts by all on which their course through the tiers depends; days since 1970.
SELECT f.confidence >= $sure AS is_sure, coalesce(u.access_count, 0) AS access_count,
       CAST(timezone($zone, timezone('UTC', f.recorded_at)) AS DATE) - DATE '1970-01-01' AS recorded_day,
       CAST(timezone($zone, timezone('UTC', greatest(f.recorded_at, coalesce(u.last_accessed_at, f.recorded_at), coalesce(u.last_confirmed_at, f.recorded_at)))) AS DATE) - DATE '1970-01-01' AS used_day,
       CAST(timezone($zone, timezone('UTC', u.last_accessed_at)) AS DATE) - DATE '1970-01-01' AS accessed_day,
       list(f.id) AS ids
FROM facts f LEFT JOIN usages u ON u.fact_id = f.id
WHERE f.status = 'active' AND f.trust <> 'quarantined'
-- when: scopes
  AND list_contains($scopes::VARCHAR[], f.scope)
-- always
GROUP BY ALL ORDER BY 1, 2, 3, 4, 5;

-- name: fact_faces
-- What is shown of some facts.
SELECT f.id, f.entity, f.text, f.abstraction, coalesce(u.pinned, false) AS is_pinned
FROM facts f LEFT JOIN usages u ON u.fact_id = f.id WHERE f.id IN (SELECT unnest($ids::VARCHAR[]));

-- name: moved_facts
-- Live facts that are about another entity than the one whose path their id holds.
SELECT id, entity FROM facts WHERE status = 'active' AND entity <> left(id, len(id) - len(regexp_extract(id, '-[0-9]+$')));

-- name: active_days
-- The activity clock: days of a zone on which the memory was used.
SELECT DISTINCT CAST(timezone($zone, timezone('UTC', "at")) AS DATE) AS day FROM activity ORDER BY day;

-- name: facts_to_judge
-- The facts by which `rules.invariants` can be broken, and all that it reads of others to tell. A chain whose versions
-- only grow cannot run in a circle: what hangs together with a link that is no such step is looked at as a whole.
WITH RECURSIVE chains AS (
    SELECT f.id, f.superseded_by, g.id IS NOT NULL AND g.lineage = f.lineage AND g.version > f.version AS grows
    FROM facts f LEFT JOIN facts g ON g.id = f.superseded_by WHERE f.superseded_by IS NOT NULL
), unsure AS (
    SELECT id FROM chains WHERE NOT grows UNION SELECT superseded_by FROM chains WHERE NOT grows
    UNION SELECT CASE WHEN c.id = u.id THEN c.superseded_by ELSE c.id END FROM chains c, unsure u
        WHERE c.id = u.id OR c.superseded_by = u.id
), heads AS (
    SELECT lineage FROM facts WHERE status = 'active' GROUP BY lineage HAVING count(*) > 1
), alike AS (
    SELECT entity, scope, fingerprint FROM facts WHERE status = 'active' GROUP BY ALL HAVING count(*) > 1
), made AS (
    SELECT id, derived_from, supersedes FROM facts WHERE len(derived_from) > 0
), judged AS (
    SELECT id FROM unsure
    UNION SELECT id FROM facts WHERE status <> 'active' AND (status = 'superseded') <> (superseded_by IS NOT NULL)
    UNION SELECT id FROM facts WHERE lineage IN (SELECT lineage FROM heads)
    UNION SELECT f.id FROM facts f JOIN alike a USING (entity, scope, fingerprint) WHERE f.status = 'active'
    UNION SELECT id FROM made
    UNION SELECT unnest(derived_from) FROM made
    UNION SELECT unnest(supersedes) FROM made
    UNION SELECT fact1 FROM tensions
    UNION SELECT fact2 FROM tensions
    UNION SELECT promoted_to FROM observations
    UNION SELECT unnest(facts) FROM observations
), links AS (
    SELECT id FROM judged UNION SELECT c.superseded_by FROM chains c JOIN links l ON c.id = l.id
)
SELECT * FROM facts WHERE id IN (SELECT id FROM links) ORDER BY entity, number, id;

-- name: quarantined_turns
-- Where turns stand that try to give orders.
SELECT session, ordinal FROM turns WHERE trust = 'quarantined' ORDER BY session, ordinal;

-- name: versions_of_each
-- How many versions of facts each entity has.
SELECT entity, count(*) AS versions FROM facts GROUP BY entity ORDER BY entity;

-- name: last_kept_position
-- Up to where the latest journal lines go.
SELECT coalesce(max(position), 0) FROM journal_tail;

-- name: journal_tail
-- The latest journal lines.
SELECT position, line FROM journal_tail ORDER BY position;

-- name: journal_tail_sizes
-- How long the latest journal lines are.
SELECT position, strlen(line) AS bytes FROM journal_tail;

-- name: last_recorded_at
-- When the latest record was decided, by its own clock: after a line's checksum stands its JSON.
SELECT json_extract_string(substr(line, 10), '$.at') AS at FROM journal_tail ORDER BY position DESC LIMIT 1;

-- name: prune_journal_tail
-- Forget journal lines that are old enough to be safe.
DELETE FROM journal_tail WHERE position <= $before;

-- name: remove_entities
-- Take out entities that stand at these paths no longer.
DELETE FROM entities WHERE list_contains($paths::VARCHAR[], path);

-- name: remove_redirects
-- Take out ways that lead from these paths no longer.
DELETE FROM redirects WHERE list_contains($paths::VARCHAR[], path);
