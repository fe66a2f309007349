/** The index of SQLite that keeps units unique. Left to itself SQLite would rather go through all evaluations in their order. */
export const UNIT_INDEX = 'sqlite_autoindex_evaluations_1'

/** The index of evaluations of whole sessions. */
export const SESSION_INDEX = 'evaluations_of_sessions'
