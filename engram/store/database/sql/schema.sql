-- The projection of the journal in DuckDB. Dropped and rebuilt when `format` differs; never migrated.
-- Instants are UTC without a zone: fetching TIMESTAMPTZ into Python needs another library.
-- One PRIMARY KEY a table and no other index: more of them admit duplicates after a crash, or cost milliseconds a row.

CREATE TABLE meta (
    key VARCHAR PRIMARY KEY, -- format, position, head_hash
    value VARCHAR NOT NULL   -- as text
);

CREATE TABLE entities (
    path VARCHAR PRIMARY KEY,  -- people/anna
    title VARCHAR NOT NULL,    -- as people write it
    aliases VARCHAR[] NOT NULL, -- other names
    names VARCHAR[] NOT NULL,  -- case-folded title, aliases and slug, for look-ups
    created_at TIMESTAMP NOT NULL, -- UTC
    next_number INTEGER NOT NULL,  -- number of the next fact born here
    archived_from VARCHAR          -- where it stood before it was archived
);

CREATE TABLE redirects (
    path VARCHAR PRIMARY KEY,      -- that an entity has left
    slug VARCHAR NOT NULL,         -- its last part, for look-ups
    "to" VARCHAR NOT NULL,         -- where it went
    next_number INTEGER NOT NULL   -- number of the next fact that would be born here
);

CREATE TABLE facts (
    id VARCHAR PRIMARY KEY,        -- entity path at birth, '-', number
    entity VARCHAR NOT NULL,       -- path of the entity now
    number INTEGER NOT NULL,       -- number at the end of the id
    lineage VARCHAR NOT NULL,      -- id of the first version: a chain is one filter, not a recursion
    version INTEGER NOT NULL,      -- place in the chain, from 1
    text VARCHAR NOT NULL,         -- the statement
    category VARCHAR NOT NULL,     -- relationship, milestone, status, preference, context, decision, correction,
                                   -- instruction, identity, commitment, lesson
    attribute VARCHAR,             -- slot
    "value" VARCHAR,               -- what stands in the slot
    confidence DOUBLE NOT NULL,    -- 0 to 1
    abstraction VARCHAR NOT NULL,  -- episode, pattern, principle
    tags VARCHAR[] NOT NULL,       -- labels
    related VARCHAR[] NOT NULL,    -- paths of other entities
    scope VARCHAR NOT NULL,        -- shared, session:NAME, agent:NAME
    trust VARCHAR NOT NULL,        -- trusted, unverified, quarantined
    source VARCHAR NOT NULL,       -- JSON of model.fact.Source
    supersedes VARCHAR[] NOT NULL, -- ids of replaced versions
    derived_from VARCHAR[] NOT NULL, -- ids of the facts and observations it was made of
    valid_from TIMESTAMP NOT NULL, -- true in the world from, UTC
    valid_from_precision VARCHAR NOT NULL, -- the unit in which that was said: day, week, month, year
    recorded_at TIMESTAMP NOT NULL, -- believed from, UTC
    fingerprint VARCHAR NOT NULL,  -- equal for the same statement
    skeleton VARCHAR NOT NULL,     -- equal for statements that differ in number, date or polarity
    renewal_keys VARCHAR[] NOT NULL, -- equal ones are of statements that may give another value of the same thing
    status VARCHAR NOT NULL,       -- active, superseded, retracted, pending, candidate
    superseded_by VARCHAR,         -- id of the version that replaced it
    valid_to TIMESTAMP,            -- true in the world until, UTC, excluded; of a promise, when it is due
    ends_at TIMESTAMP,             -- from then on it holds no more, UTC: `valid_to`, but NULL where that is when it is due
    valid_to_precision VARCHAR NOT NULL, -- the unit in which that was said
    known_to TIMESTAMP,            -- believed until, UTC, excluded; NULL for a retired one: it never was
    reason VARCHAR,                -- why it was retired or quarantined
    was_wrong BOOLEAN NOT NULL,    -- retired because it never held
    beliefs VARCHAR NOT NULL       -- JSON list of model.fact.Belief: what was believed before, oldest first
);

CREATE TABLE usages (
    fact_id VARCHAR PRIMARY KEY,    -- the fact
    access_count INTEGER NOT NULL,  -- uses
    last_accessed_at TIMESTAMP,     -- UTC
    pinned BOOLEAN NOT NULL,        -- kept in the summary
    useful_count INTEGER NOT NULL,  -- how often it was said to be useful
    wrong_count INTEGER NOT NULL,   -- how often it was said to be wrong
    confirm_count INTEGER NOT NULL, -- how often the same statement came again
    last_confirmed_at TIMESTAMP,    -- UTC
    confirmed_by VARCHAR NOT NULL   -- JSON list of the latest sources
);

CREATE TABLE tensions (
    id VARCHAR PRIMARY KEY,  -- tension-0001
    text VARCHAR NOT NULL,   -- one sentence
    fact1 VARCHAR NOT NULL,  -- the older fact
    fact2 VARCHAR NOT NULL,  -- the newer fact
    kind VARCHAR NOT NULL,   -- polarity, number, ...
    status VARCHAR NOT NULL, -- open, resolved
    opened_at TIMESTAMP NOT NULL, -- UTC
    resolution VARCHAR,      -- what closed it
    resolved_at TIMESTAMP,   -- UTC
    outcome VARCHAR,         -- what somebody decided; NULL: it closed by itself
    pair VARCHAR[] NOT NULL  -- entity and fingerprint of both sides, when the two are no conflict
);

CREATE TABLE observations (
    id VARCHAR PRIMARY KEY,     -- observation-0001
    text VARCHAR NOT NULL,      -- one sentence
    category VARCHAR NOT NULL,  -- friction, surprise, quality, pattern
    entity VARCHAR,             -- path of whom or what it is about
    facts VARCHAR[] NOT NULL,   -- ids of the facts that it stands on
    sessions VARCHAR[] NOT NULL, -- where it was noticed
    seen INTEGER NOT NULL,      -- how often
    scope VARCHAR NOT NULL,     -- shared, session:NAME, agent:NAME
    trust VARCHAR NOT NULL,     -- trusted, unverified, quarantined
    fingerprint VARCHAR NOT NULL, -- equal for the same sentence
    words VARCHAR[] NOT NULL,   -- stems that carry its meaning
    suggestion VARCHAR,         -- JSON of model.observation.Suggestion
    opened_at TIMESTAMP NOT NULL, -- UTC
    seen_at TIMESTAMP NOT NULL, -- the last time, UTC
    status VARCHAR NOT NULL,    -- open, promoted, dismissed, merged
    promoted_to VARCHAR,        -- fact id, or MEMORY.md
    merged_into VARCHAR,        -- observation id
    resolution VARCHAR,         -- why, in words
    resolved_at TIMESTAMP       -- UTC
);

CREATE TABLE settlements (
    id VARCHAR PRIMARY KEY,   -- settlement-0001
    subject VARCHAR NOT NULL, -- id of the tension, observation or fact
    verdict VARCHAR NOT NULL, -- supersede, both-true, ...
    keep VARCHAR,             -- what stays
    made VARCHAR,             -- fact that was made, or MEMORY.md
    makes BOOLEAN NOT NULL,   -- that fact is new
    note VARCHAR,             -- in words
    actor VARCHAR NOT NULL,   -- who decided
    "at" TIMESTAMP NOT NULL,  -- UTC
    before VARCHAR NOT NULL,  -- JSON of the facts' lives before
    after VARCHAR NOT NULL,   -- JSON of the facts' lives after
    closed VARCHAR[] NOT NULL, -- tensions that were settled along with it
    undone_at TIMESTAMP       -- UTC
);

CREATE TABLE undoables (
    id VARCHAR PRIMARY KEY,   -- command id
    number INTEGER NOT NULL,  -- in the order in which they were decided, from 1
    kind VARCHAR NOT NULL,    -- of the command: entity-rename, entity-merge, ...
    actor VARCHAR NOT NULL,   -- who asked
    "at" TIMESTAMP NOT NULL,  -- when it was asked for, UTC
    changes VARCHAR NOT NULL, -- JSON list of what it did
    undone_at TIMESTAMP       -- UTC; NULL: it stands
);

CREATE TABLE handoffs (
    id VARCHAR PRIMARY KEY,     -- handoff-0001
    sender VARCHAR NOT NULL,    -- agent
    actor VARCHAR NOT NULL,     -- whose words they are
    "to" VARCHAR NOT NULL,      -- agent that is to answer
    text VARCHAR NOT NULL,      -- what it is handed
    trust VARCHAR NOT NULL,     -- trusted, unverified
    session VARCHAR,            -- in which it was sent
    sent_at TIMESTAMP NOT NULL, -- UTC
    status VARCHAR NOT NULL,    -- waiting, accepted, rejected, withdrawn
    reason VARCHAR,             -- of the answer, in words
    answered_by VARCHAR,        -- agent
    answered_at TIMESTAMP       -- UTC
);

CREATE TABLE sessions (
    name VARCHAR PRIMARY KEY, -- slug or agent/session
    platform VARCHAR,         -- telegram, claude-code, ...
    external_id VARCHAR,      -- the platform's id
    created_at TIMESTAMP NOT NULL, -- UTC
    kind VARCHAR,             -- personal or group: kept apart; NULL: open
    project VARCHAR,          -- path of the entity that it is held about; NULL: not known
    project_title VARCHAR     -- as the project's folder is written
);

CREATE TABLE turns (
    id VARCHAR PRIMARY KEY,   -- turn/ and 32 hexadecimal digits
    session VARCHAR NOT NULL, -- session name
    ordinal INTEGER NOT NULL, -- place in the session, from 0
    ref VARCHAR,              -- id it was captured under
    speaker VARCHAR,          -- who said it
    "at" TIMESTAMP,           -- when, UTC
    text VARCHAR NOT NULL,    -- what was said
    path VARCHAR,             -- file it was captured from
    scope VARCHAR NOT NULL,   -- who may see it
    trust VARCHAR NOT NULL,   -- trusted, unverified, quarantined
    redactions VARCHAR[] NOT NULL -- kinds of secrets taken out
);

CREATE TABLE notes (
    id VARCHAR PRIMARY KEY,    -- note/ and 32 hexadecimal digits
    path VARCHAR NOT NULL,     -- of the note
    heading VARCHAR[] NOT NULL, -- headings above, outermost first
    text VARCHAR NOT NULL,     -- the entry
    sha256 VARCHAR NOT NULL,   -- of its bytes
    "start" INTEGER NOT NULL,  -- first byte when it was read
    "end" INTEGER NOT NULL,    -- one past the last byte
    line INTEGER NOT NULL,     -- first line, from 1
    "on" VARCHAR,              -- the note's day
    session VARCHAR,           -- session name
    scope VARCHAR NOT NULL,    -- who may see it
    actor VARCHAR NOT NULL     -- who wrote it
);

CREATE TABLE commands (
    id VARCHAR PRIMARY KEY,    -- command id: the same id twice is one effect
    position INTEGER NOT NULL, -- journal position of its effect
    kind VARCHAR NOT NULL,     -- write, correct, ...
    actor VARCHAR NOT NULL,    -- who asked
    asked_at TIMESTAMP NOT NULL, -- UTC
    status VARCHAR NOT NULL,   -- outcome
    result VARCHAR NOT NULL    -- JSON of model.command.CommandResult
);

CREATE TABLE watermarks (
    consumer VARCHAR NOT NULL, -- named reader
    key VARCHAR NOT NULL,      -- file, session or *
    value VARCHAR NOT NULL,    -- its mark
    PRIMARY KEY (consumer, key)
);

CREATE TABLE activity (
    "at" TIMESTAMP PRIMARY KEY -- beginnings, UTC, of quarter hours in which the memory was used: in every zone they lie
                               -- within one day, so the activity clock can be read in any
);

CREATE TABLE journal_tail (
    position INTEGER PRIMARY KEY, -- journal position
    line VARCHAR NOT NULL         -- the journal's line: lets a damaged journal tail be mended
);
