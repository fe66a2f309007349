import type { Stage } from './stage.ts'

/** A page of the dashboard, and what a person who only has a keyboard must reach on it. */
export interface DashboardPage {
  readonly name: string
  readonly path: string
  readonly reaches: readonly (string | RegExp)[]
}

interface Answers {
  readonly monitors: readonly {
    readonly id: string
    readonly external_id: string
    readonly evaluator_type: string
  }[]
  readonly evaluations: readonly {
    readonly id: string
    readonly trace_id: string
    readonly session_id?: string
  }[]
}

/** Every page, with the ids of what the showcase holds. */
export async function dashboardPages({ showcase }: Stage): Promise<DashboardPage[]> {
  const get = async (path: string) => {
    const answer = await fetch(showcase.url + path, { headers: { authorization: `Bearer ${showcase.key}` } })
    return (await answer.json()) as Answers
  }
  const { monitors } = await get('/v2/monitors')
  const monitor = monitors.find(({ evaluator_type: slug }) => slug === 'faithfulness')
  const { evaluations } = await get(`/v2/evaluations?monitor_id=${monitor?.id}&status=scored&limit=5`)
  const evaluation = evaluations[0]
  return [
    {
      name: 'home',
      path: '/',
      reaches: ['Home', 'Inbox', 'Setups', 'Monitors', 'Traces', 'Evaluators', 'Settings'],
    },
    {
      name: 'the inbox',
      path: '/inbox',
      reaches: ['Search questions and answers', 'Verdict', /^Select /, 'Create a review queue'],
    },
    { name: 'setups', path: '/setups', reaches: ['New setup', 'Export', 'Import', 'support-safety'] },
    { name: 'suggestions', path: '/suggestions', reaches: ['Create a setup yourself'] },
    {
      name: 'a new setup',
      path: '/setups/new',
      reaches: ['External id', 'Add a rule', 'Choose evaluators', 'Create setup'],
    },
    {
      name: 'a setup',
      path: '/setups/support-answer-quality',
      reaches: ['Add a rule', 'Choose evaluators', /^Save/],
    },
    { name: 'monitors', path: '/monitors', reaches: ['faithfulness'] },
    {
      name: 'a monitor',
      path: `/monitors/${monitor?.id}`,
      reaches: ['Aggregation', /over time$/, 'Evaluations', 'Order'],
    },
    { name: 'an evaluation', path: `/evaluations/${evaluation?.id}`, reaches: ['Open the trace'] },
    { name: 'traces', path: '/traces', reaches: ['Search', 'Filters', 'Traces'] },
    {
      name: 'a trace',
      path: `/traces/${evaluation?.trace_id}`,
      reaches: [/^Spans\. Arrow keys/, 'Score this trace', 'Content'],
    },
    { name: 'sessions', path: '/traces?view=sessions', reaches: [/^chat-/] },
    { name: 'a session', path: `/sessions/${evaluation?.session_id}`, reaches: [] },
    { name: 'evaluators', path: '/evaluators', reaches: [] },
    { name: 'an evaluator', path: '/evaluators/pii-detector', reaches: ['Text', 'Run', 'Use in a setup'] },
    { name: 'a custom judge', path: '/evaluators/brand-voice', reaches: ['Edit', 'Run'] },
    { name: 'a new custom judge', path: '/evaluators/new', reaches: ['Name', 'Run', 'Save', 'Cancel'] },
    { name: 'settings', path: '/settings', reaches: ['API keys', 'New key', 'Revoke weekly report'] },
    { name: 'limits', path: '/settings?tab=limits', reaches: ['Limits'] },
    { name: 'a page that does not exist', path: '/settings/nowhere', reaches: [] },
  ]
}
