-- What the embedded store has in its migration of the same name.
CREATE TABLE saved_views (
  id             TEXT COLLATE "C" PRIMARY KEY,
  project_id     TEXT COLLATE "C" NOT NULL REFERENCES projects (id),
  list           TEXT COLLATE "C" NOT NULL,
  name           TEXT COLLATE "C" NOT NULL,
  filter         TEXT COLLATE "C" NOT NULL,
  columns        TEXT COLLATE "C" NOT NULL,
  is_default     SMALLINT         NOT NULL,
  created_at_ms  BIGINT           NOT NULL,
  updated_at_ms  BIGINT           NOT NULL,
  UNIQUE (project_id, name)
);
CREATE INDEX saved_views_in_order ON saved_views (project_id, id);
CREATE UNIQUE INDEX saved_views_default ON saved_views (project_id, list) WHERE is_default = 1;

-- A deleted setup can be restored for a while.
CREATE INDEX setups_deleted ON setups (project_id, external_id, deleted_at_ms) WHERE deleted_at_ms IS NOT NULL;
