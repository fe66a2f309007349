-- The model that judges for an organization where the settings of the service name none.
CREATE TABLE default_judges (
  org_id         TEXT COLLATE "C" PRIMARY KEY REFERENCES organizations (id),
  provider       TEXT COLLATE "C" NOT NULL,
  model          TEXT COLLATE "C" NOT NULL,
  updated_at_ms  BIGINT           NOT NULL
);
