-- agent-goal-completeness requires a threshold. Setups that gave none ran with 0.5; now they say so, with the same monitor
-- versions as before, because those always held the threshold they scored with.
UPDATE setup_entries SET override = json_patch('{"config":{"threshold":0.5}}', override)
  WHERE slug = 'agent-goal-completeness' AND json_extract(override, '$.config.threshold') IS NULL;

UPDATE setup_versions SET evaluators = (
    SELECT json_group_array(json(
      CASE WHEN json_extract(value, '$.slug') = 'agent-goal-completeness'
        THEN json_patch('{"slug":"","evaluatorId":"","override":{"config":{"threshold":0.5}}}', value)
        ELSE value END) ORDER BY key)
    FROM json_each(evaluators))
  WHERE EXISTS (
    SELECT 1 FROM json_each(evaluators) WHERE json_extract(value, '$.slug') = 'agent-goal-completeness'
      AND json_extract(value, '$.override.config.threshold') IS NULL);
