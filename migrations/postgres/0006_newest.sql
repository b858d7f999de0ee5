-- Which version of a patch is the newest, as a question to the database.

-- The three numbers of a version, each in twenty digits, so that the order of the texts is the order of the versions.
-- Null for a pre-release: none is ever the newest.
ALTER TABLE versions ADD COLUMN release_order TEXT COLLATE "C";

UPDATE versions SET release_order = lpad(split_part(version, '.', 1), 20, '0') || '.'
    || lpad(split_part(version, '.', 2), 20, '0') || '.' || lpad(split_part(version, '.', 3), 20, '0')
WHERE version NOT LIKE '%-%';

CREATE INDEX versions_newest ON versions (patch_id, state, release_order);

CREATE TRIGGER versions_order_frozen BEFORE UPDATE OF release_order ON versions
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
