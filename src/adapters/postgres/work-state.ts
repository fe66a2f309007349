export { WORK_STATE } from '../sql/work-state.ts'
