-- Filters and columns of lists that the people of a project share. `filter` is a JSON object of query parameters, `columns` a
-- JSON array of names. They are configuration, like setups: deleting the data of a project keeps them.
CREATE TABLE saved_views (
  id             TEXT    PRIMARY KEY,
  project_id     TEXT    NOT NULL REFERENCES projects (id),
  list           TEXT    NOT NULL,
  name           TEXT    NOT NULL,
  filter         TEXT    NOT NULL,
  columns        TEXT    NOT NULL,
  is_default     INTEGER NOT NULL,
  created_at_ms  INTEGER NOT NULL,
  updated_at_ms  INTEGER NOT NULL,
  UNIQUE (project_id, name)
) STRICT;
CREATE INDEX saved_views_in_order ON saved_views (project_id, id);
CREATE UNIQUE INDEX saved_views_default ON saved_views (project_id, list) WHERE is_default = 1;

-- A deleted setup can be restored for a while.
CREATE INDEX setups_deleted ON setups (project_id, external_id, deleted_at_ms) WHERE deleted_at_ms IS NOT NULL;
