-- name: facts_to_begin_with
-- The weightiest facts of each kind that a start block shows: rules/life/importance.py says what they weigh.
WITH live AS MATERIALIZED (
    SELECT f.id, f.entity, f.category, f.confidence, f.valid_from, f.valid_to, f.abstraction,
        f.valid_from > $now::TIMESTAMP AND f.valid_from <> f.recorded_at AS is_planned,
        f.category IN ('instruction', 'preference', 'correction')
            OR list_has_any(f.tags, ['instruction', 'preference', 'identity']) OR f.entity = $owner AS may_stand,
        greatest(f.recorded_at, u.last_accessed_at, u.last_confirmed_at) AS used_at,
        coalesce(u.pinned, false) AS is_pinned,
        coalesce(u.access_count, 0) AS accesses,
        coalesce(u.confirm_count, 0) AS confirms,
        f.confidence * list_extract($kind_worths::DOUBLE[], list_position($kinds::VARCHAR[], f.category))
            * list_extract($voice_worths::DOUBLE[],
                list_position($voices::VARCHAR[], json_extract_string(f.source, '$.actor'))) AS worth,
        json_extract_string(f.source, '$.session') AS session,
        list_contains(f.related, $project) OR EXISTS (
            SELECT 1 FROM (SELECT unnest($names::VARCHAR[]) AS name) n WHERE contains(lower(f.text), n.name)
        ) AS names_project
    FROM facts f LEFT JOIN usages u ON u.fact_id = f.id
    WHERE f.status = 'active' AND f.trust <> 'quarantined' AND list_contains($scopes::VARCHAR[], f.scope)
      AND NOT starts_with(f.entity, 'archives/') AND (f.ends_at IS NULL OR f.ends_at > $now::TIMESTAMP)
), placed AS MATERIALIZED (
    SELECT *,
        CASE WHEN (used_at < $warm_since::TIMESTAMP) IS TRUE
              OR (confidence < $sure AND used_at < $unsure_since::TIMESTAMP) IS TRUE
             THEN CASE WHEN accesses >= $kept_accesses THEN 'warm' ELSE 'cold' END
             WHEN (used_at < $hot_since::TIMESTAMP) IS TRUE THEN 'warm' ELSE 'hot' END AS tier,
        coalesce(entity = $project OR names_project
            OR session IN (SELECT unnest($sessions::VARCHAR[])), false) AS is_of_project,
        coalesce(starts_with(entity, 'projects/')
            OR session IN (SELECT unnest($other_sessions::VARCHAR[])), false) AS is_of_another
    FROM live
), weighed AS MATERIALIZED (
    SELECT id, entity, category, valid_from, valid_to, is_planned, may_stand, tier, is_of_project,
        $project <> '' AND is_of_another AND NOT is_of_project AS is_elsewhere,
        round(CASE WHEN is_pinned THEN 1 ELSE
            (1 - (1 - worth) * (1 - list_extract($generalities::DOUBLE[], list_position($abstractions::VARCHAR[], abstraction)))
                * (1 - $most_said * (1 - exp(-confirms / $said_enough)))
                * (1 - $most_used * (1 - exp(-accesses / $used_enough))))
            * list_extract($left_in_tier::DOUBLE[], list_position($tiers::VARCHAR[], tier)) END, 2) AS weight
    FROM placed
), ranked AS (
    (SELECT id FROM weighed WHERE NOT is_planned ORDER BY weight DESC, valid_from DESC, id LIMIT $each)
    UNION ALL
    (SELECT id FROM weighed WHERE may_stand AND NOT is_planned ORDER BY weight DESC, valid_from DESC, id LIMIT $each)
    UNION ALL
    (SELECT id FROM weighed WHERE is_of_project AND NOT is_planned AND NOT starts_with(entity, 'people/')
        ORDER BY weight DESC, valid_from DESC, id LIMIT $each)
    UNION ALL
    (SELECT id FROM weighed WHERE is_of_project AND NOT is_planned AND starts_with(entity, 'people/')
        QUALIFY row_number() OVER (PARTITION BY entity ORDER BY weight DESC, valid_from DESC, id) <= $each / 3
        ORDER BY weight DESC, valid_from DESC, id LIMIT $each * 3)
    UNION ALL
    (SELECT id FROM weighed WHERE is_planned ORDER BY is_elsewhere, valid_from, id LIMIT $each)
    UNION ALL
    (SELECT id FROM weighed WHERE valid_to > $owed_since::TIMESTAMP AND NOT is_planned
        ORDER BY is_elsewhere, valid_to, id LIMIT $each)
    UNION ALL
    (SELECT id FROM weighed WHERE category = 'commitment' AND NOT is_planned
        ORDER BY is_elsewhere, weight DESC, valid_from DESC, id LIMIT $each)
    UNION ALL
    (SELECT id FROM weighed WHERE category = 'decision' AND tier = 'hot' AND NOT is_planned
        ORDER BY is_elsewhere, valid_from DESC, id DESC LIMIT $each)
    UNION ALL
    (SELECT id FROM weighed WHERE category <> 'decision' AND tier = 'hot' AND NOT is_planned AND NOT is_of_project
        ORDER BY is_elsewhere, weight DESC, valid_from DESC, id LIMIT $each)
    UNION ALL
    (SELECT id FROM weighed WHERE entity IN (SELECT unnest($in_play::VARCHAR[]))
        QUALIFY row_number() OVER (PARTITION BY entity ORDER BY tier = 'hot' DESC, weight DESC, valid_from DESC, id)
            <= $each)
)
SELECT * FROM facts WHERE id IN (SELECT id FROM ranked) ORDER BY entity, number, id;

-- name: count_held
-- How many facts of these scopes hold now.
SELECT count(*) AS facts FROM facts
WHERE status = 'active' AND trust <> 'quarantined' AND list_contains($scopes::VARCHAR[], scope)
  AND NOT starts_with(entity, 'archives/')
  AND (valid_from <= $now::TIMESTAMP OR valid_from = recorded_at) AND (ends_at IS NULL OR ends_at > $now::TIMESTAMP);
