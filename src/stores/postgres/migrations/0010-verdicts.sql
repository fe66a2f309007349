-- Whether a score is good. `verdict` is 1 for pass, 0 for fail, 2 for neutral, and null where nothing was scored or where it was
-- not derived yet. The rule is that of the monitor and not of its versions: changing it evaluates nothing again.
ALTER TABLE evaluations ADD COLUMN verdict SMALLINT;
-- JSON: conditions and labels. Null until one was assigned. With `is_rule_stale` it has to be looked at again.
ALTER TABLE monitors ADD COLUMN verdict_rule TEXT COLLATE "C";
ALTER TABLE monitors ADD COLUMN is_rule_stale SMALLINT NOT NULL DEFAULT 1;
CREATE INDEX monitors_with_stale_rule ON monitors (number) WHERE is_rule_stale = 1;
-- Evaluations whose verdict has to be derived again: the numbers of the first, of the next to look at, and of the last.
ALTER TABLE monitor_versions ADD COLUMN verdict_first BIGINT NOT NULL DEFAULT 0;
ALTER TABLE monitor_versions ADD COLUMN verdict_next BIGINT NOT NULL DEFAULT 0;
ALTER TABLE monitor_versions ADD COLUMN verdict_last BIGINT NOT NULL DEFAULT -1;
CREATE INDEX monitor_versions_to_derive ON monitor_versions (number) WHERE verdict_next <= verdict_last;
-- Failures are few among many and looked for first.
CREATE INDEX evaluations_failed_by_project ON evaluations (project_number, number) WHERE verdict = 0 AND is_current = 1;
CREATE INDEX evaluations_failed_by_monitor ON evaluations (monitor_version, number) WHERE verdict = 0 AND is_current = 1;
-- The rule that its author chose, as JSON. Null: what the outputs suggest.
ALTER TABLE custom_evaluators ADD COLUMN verdict_rule TEXT COLLATE "C";
