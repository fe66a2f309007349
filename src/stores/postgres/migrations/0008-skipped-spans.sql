-- Matching spans that a version of a monitor leaves out: 'wrappers' or 'plumbing'. Null: none, as for all that were bound before.
ALTER TABLE monitor_versions ADD COLUMN skips TEXT;
-- Units of a job that were left out for that reason; they count as done.
ALTER TABLE jobs ADD COLUMN skipped BIGINT NOT NULL DEFAULT 0;
