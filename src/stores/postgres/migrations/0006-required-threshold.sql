-- What the embedded store has in its migration of the same name. An element of another evaluator stays the text it is: its
-- settings may hold U+0000, which jsonb refuses.
UPDATE setup_entries SET override =
    (override::jsonb || jsonb_build_object('config', coalesce(override::jsonb -> 'config', '{}') || '{"threshold":0.5}'))::text
  WHERE slug = 'agent-goal-completeness' AND override::jsonb #> '{config,threshold}' IS NULL;

UPDATE setup_versions SET evaluators = (
    SELECT '[' || string_agg(
      CASE WHEN element::text LIKE '{"slug":"agent-goal-completeness",%' AND element::text NOT LIKE '%"threshold":%'
        THEN jsonb_set(
          element::text::jsonb,
          '{override,config}',
          coalesce(element::text::jsonb #> '{override,config}', '{}') || '{"threshold":0.5}')::text
        ELSE element::text END,
      ',' ORDER BY place) || ']'
    FROM json_array_elements(evaluators::json) WITH ORDINALITY AS given (element, place))
  WHERE evaluators LIKE '%{"slug":"agent-goal-completeness",%';
