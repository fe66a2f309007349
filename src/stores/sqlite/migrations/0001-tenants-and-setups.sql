-- Who owns what, and what users configure. Times are milliseconds since 1970 in UTC, ids are UUIDv7 text.

CREATE TABLE organizations (
  id               TEXT    PRIMARY KEY,
  name             TEXT    NOT NULL,
  is_operator      INTEGER NOT NULL,
  retention_hours  INTEGER NOT NULL,
  created_at_ms    INTEGER NOT NULL
) STRICT;

CREATE TABLE projects (
  id                  TEXT    PRIMARY KEY,
  org_id              TEXT    NOT NULL REFERENCES organizations (id),
  name                TEXT    NOT NULL,
  slug                TEXT    NOT NULL,
  -- Grows by one with every change of what the project's setups select or evaluate. Whatever is matched against the
  -- setups keeps the revision it was matched with, and setup_versions can tell which setups that revision held.
  catalogue_revision  INTEGER NOT NULL DEFAULT 0,
  created_at_ms       INTEGER NOT NULL,
  UNIQUE (org_id, slug)
) STRICT;

CREATE TABLE environments (
  env_project_id  TEXT    PRIMARY KEY,
  project_id      TEXT    NOT NULL REFERENCES projects (id),
  slug            TEXT    NOT NULL,
  created_at_ms   INTEGER NOT NULL,
  UNIQUE (project_id, slug)
) STRICT;

-- The secret itself is never stored: secret_hash is its SHA-256 in hex, hint its last characters.
CREATE TABLE api_keys (
  id              TEXT    PRIMARY KEY,
  org_id          TEXT    NOT NULL REFERENCES organizations (id),
  env_project_id  TEXT    NOT NULL REFERENCES environments (env_project_id),
  name            TEXT    NOT NULL,
  hint            TEXT    NOT NULL,
  secret_hash     TEXT    NOT NULL UNIQUE,
  scopes          TEXT    NOT NULL,
  created_at_ms   INTEGER NOT NULL,
  revoked_at_ms   INTEGER
) STRICT;

CREATE INDEX api_keys_by_org ON api_keys (org_id, id);

-- A deleted setup stays as a row that no tenant query shows: results and versions still refer to it.
CREATE TABLE setups (
  id              TEXT    PRIMARY KEY,
  org_id          TEXT    NOT NULL REFERENCES organizations (id),
  project_id      TEXT    NOT NULL REFERENCES projects (id),
  env_project_id  TEXT    NOT NULL REFERENCES environments (env_project_id),
  external_id     TEXT    NOT NULL,
  entity_type     TEXT    NOT NULL,
  entity_value    TEXT    NOT NULL,
  status          TEXT    NOT NULL,
  version         INTEGER NOT NULL,
  created_at_ms   INTEGER NOT NULL,
  updated_at_ms   INTEGER NOT NULL,
  deleted_at_ms   INTEGER
) STRICT;

CREATE UNIQUE INDEX setups_external_id ON setups (project_id, external_id) WHERE deleted_at_ms IS NULL;
CREATE INDEX setups_in_order ON setups (project_id, id) WHERE deleted_at_ms IS NULL;

-- Immutable: what a setup selected and evaluated from one catalogue revision up to, not including, another.
CREATE TABLE setup_versions (
  setup_id       TEXT    NOT NULL REFERENCES setups (id),
  version        INTEGER NOT NULL,
  selector       TEXT    NOT NULL,
  evaluators     TEXT    NOT NULL,
  revision_from  INTEGER NOT NULL,
  revision_to    INTEGER,
  created_at_ms  INTEGER NOT NULL,
  PRIMARY KEY (setup_id, version)
) STRICT, WITHOUT ROWID;

-- The evaluators of the current version and how far each one's monitor has come.
CREATE TABLE setup_entries (
  setup_id         TEXT    NOT NULL REFERENCES setups (id),
  position         INTEGER NOT NULL,
  slug             TEXT    NOT NULL,
  evaluator_id     TEXT    NOT NULL,
  override         TEXT    NOT NULL,
  status           TEXT    NOT NULL,
  binding_id       TEXT,
  error_message    TEXT,
  processed_at_ms  INTEGER,
  PRIMARY KEY (setup_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE custom_evaluators (
  id             TEXT    PRIMARY KEY,
  org_id         TEXT    NOT NULL REFERENCES organizations (id),
  slug           TEXT    NOT NULL,
  input_schema   TEXT    NOT NULL,
  output_schema  TEXT    NOT NULL,
  created_at_ms  INTEGER NOT NULL,
  UNIQUE (org_id, slug)
) STRICT;
