/** The states of a row of work, as the schema numbers them. Below `done` a row is open. */
export const WORK_STATE = { ready: 0, leased: 1, done: 2, cancelled: 3 } as const
