/** The two questions that every user of such a service asks: why was this not scored, and what would another setup do? */

/** Calls the service and gives the answer as an object. */
export type Call = <T>(method: string, route: string, body?: unknown) => Promise<T>

interface Explained {
  setups: { external_id: string; summary: string }[]
}

/** The explanation of one span of the demo, setup by setup. */
export async function explainOneSpan(call: Call, service: string): Promise<string[]> {
  const filters = encodeURIComponent(
    JSON.stringify([{ id: 'service.name', operator: 'equals', value: service }]),
  )
  const found = await call<{ spans: { data: { trace_id: string; span_id: string }[] } }>(
    'GET',
    `/v2/warehouse/spans?from_timestamp_sec=0&limit=1&filters=${filters}`,
  )
  const [span] = found.spans.data
  if (!span) return [`no span of ${service} is stored`]
  const route = `/v2/spans/${span.trace_id}/${span.span_id}/explain`
  const { setups } = await call<Explained>('GET', route)
  const lines = setups.map(({ external_id: externalId, summary }) => `  ${externalId}: ${summary}`)
  return [`Why was a span of ${service} scored, or not? GET ${route}`, ...lines]
}

interface DryRun {
  matched: number
  looked: { spans: number }
  gained?: number
  lost?: number
  evaluators: { evaluator_type: string; error_message?: string; missing_share?: number }[]
}

/** The result of a dry run of a changed setup. */
export async function tryAnotherSelector(call: Call, setup: object): Promise<string[]> {
  const route = '/v2/auto-monitor-setups/dry-run'
  const { matched, looked, gained, lost, evaluators } = await call<DryRun>('POST', route, setup)
  return [
    `What if it looked at other spans? POST ${route}`,
    `  it would match ${matched} of the last ${looked.spans} spans, gain ${gained ?? 0} and lose ${lost ?? 0}`,
    ...evaluators.map(
      ({ evaluator_type: slug, error_message: message }) => `  ${slug}: ${message ?? 'every input is there'}`,
    ),
  ]
}
