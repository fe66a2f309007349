/**
 * The states of a setup.
 *
 * | state             | what is true in it                                     | what leaves it                              |
 * |-------------------|--------------------------------------------------------|---------------------------------------------|
 * | pending           | stored and queued, every entry is pending              | a worker takes it                           |
 * | in_progress       | a worker holds it under a lease                        | bound; too few spans; the worker died       |
 * | waiting_for_spans | ready, but fewer matching spans than needed            | enough matching spans arrived               |
 * | completed         | a monitor exists for every entry                       | PUT or bulk: pending                        |
 * | partial           | some entries failed, each with an error message        | PUT or bulk; a later span binds the rest    |
 * | failed            | no entry could be bound                                | the same                                    |
 *
 * From every state, PUT and bulk upsert lead back to pending with every entry pending.
 */
export const SETUP_STATUSES = [
  'pending',
  'in_progress',
  'waiting_for_spans',
  'completed',
  'partial',
  'failed',
] as const
export type SetupStatus = (typeof SETUP_STATUSES)[number]

/** The states of one evaluator entry: waiting, being bound, bound to a monitor, or given up with a message. */
export const ENTRY_STATUSES = ['pending', 'in_progress', 'completed', 'failed'] as const
export type EntryStatus = (typeof ENTRY_STATUSES)[number]
