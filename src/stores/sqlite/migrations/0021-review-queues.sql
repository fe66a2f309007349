-- Samples of evaluations for people to review. `filter` is JSON: the parameters of the list that the sample was drawn from.
-- `reviewers` is a JSON list of names; an empty one means anybody. `drawn_from` counts the evaluations that were drawn from, and
-- `is_whole` tells that there were no more.
CREATE TABLE review_queues (
  number          INTEGER PRIMARY KEY AUTOINCREMENT,
  id              TEXT    NOT NULL UNIQUE,
  project_number  INTEGER NOT NULL,
  name            TEXT    NOT NULL,
  filter          TEXT    NOT NULL,
  reviewers       TEXT    NOT NULL,
  sample_size     INTEGER NOT NULL,
  seed            TEXT    NOT NULL,
  drawn_from      INTEGER NOT NULL,
  is_whole        INTEGER NOT NULL,
  created_at_ms   INTEGER NOT NULL
) STRICT;
CREATE INDEX review_queues_by_project ON review_queues (project_number, number);

-- The evaluations of a queue in the order of their review. An item holds no content: it goes with its evaluation.
CREATE TABLE review_items (
  queue_number       INTEGER NOT NULL,
  place              INTEGER NOT NULL,
  project_number     INTEGER NOT NULL,
  evaluation_number  INTEGER NOT NULL,
  unit_at_ms         INTEGER NOT NULL,
  PRIMARY KEY (queue_number, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX review_items_by_evaluation ON review_items (project_number, evaluation_number);

-- An answer in a queue is an annotation whose task is the id of the queue.
CREATE INDEX scores_by_task ON scores (project_number, task, number) WHERE task IS NOT NULL;
