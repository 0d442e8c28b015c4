-- name: facts_live
-- What is believed now.
CREATE VIEW facts_live AS
SELECT * FROM store.facts WHERE status = 'active' AND trust <> 'quarantined';

-- name: facts_all
-- Every version there ever was.
CREATE VIEW facts_all AS SELECT * FROM store.facts;

-- name: entities
-- Who and what there is.
CREATE VIEW entities AS SELECT * FROM store.entities;

-- name: edges
-- Which fact joins which two entities.
CREATE VIEW edges AS
SELECT entity AS "from", unnest(related) AS "to", id AS fact
FROM store.facts WHERE status = 'active' AND trust <> 'quarantined';

-- name: sessions
-- The conversations that were held.
CREATE VIEW sessions AS SELECT * FROM store.sessions;
