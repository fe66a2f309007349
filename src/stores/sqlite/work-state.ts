export { WORK_STATE } from '../shared/work-state.ts'
