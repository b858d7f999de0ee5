-- Which version of a patch is the newest, as a question to the database.

-- The three numbers of a version, each in twenty digits, so that the order of the texts is the order of the versions.
-- Null for a pre-release: none is ever the newest.
ALTER TABLE versions ADD COLUMN release_order TEXT;

UPDATE versions SET release_order = (
    SELECT substr('00000000000000000000' || major, -20) || '.'
        || substr('00000000000000000000' || substr(rest, 1, instr(rest, '.') - 1), -20) || '.'
        || substr('00000000000000000000' || substr(rest, instr(rest, '.') + 1), -20)
    FROM (SELECT substr(version, 1, instr(version, '.') - 1) AS major, substr(version, instr(version, '.') + 1) AS rest))
WHERE version NOT LIKE '%-%';

CREATE INDEX versions_newest ON versions (patch_id, state, release_order);

CREATE TRIGGER versions_order_frozen BEFORE UPDATE OF release_order ON versions
BEGIN SELECT RAISE(ABORT, 'append_only'); END;
