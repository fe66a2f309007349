import assert from 'node:assert/strict'
import { type CallOptions, call } from './call.ts'
import type { ServiceProcess } from './process.ts'
import { type Callable, eventually, idsOf } from './spans.ts'

/** A service of another process, to be called like one of this process. */
export function callable({ url }: Pick<ServiceProcess, 'url'>): Callable {
  return { call: (method, path, options?: CallOptions) => call(url, method, path, options) }
}

/** Makes a setup that matches every span and has one evaluator. */
export async function createSetupOf(
  { url }: Pick<ServiceProcess, 'url'>,
  externalId: string,
  evaluator: string,
): Promise<void> {
  const body = { external_id: externalId, evaluators: [evaluator] }
  const answer = await call(url, 'POST', '/v2/auto-monitor-setups', { body })
  assert.equal(answer.status, 201, answer.text)
}

/** Makes the custom evaluator `politeness`, which asks a judge one question. */
export async function createPoliteness({ url }: Pick<ServiceProcess, 'url'>): Promise<void> {
  const body = {
    name: 'Politeness',
    slug: 'politeness',
    provider: 'openai',
    model: 'gpt-4o',
    messages: [{ role: 'user', content: 'Is this polite?\n{{completion}}' }],
    input_schema: [{ name: 'completion', type: 'string' }],
    output_schema: [{ name: 'is_polite', type: 'boolean' }],
  }
  const answer = await call(url, 'POST', '/v2/evaluators', { body })
  assert.equal(answer.status, 200, answer.text)
}

/** Waits until a span has an evaluation of each of these setups, each one scored and none twice. */
export async function untilScored(
  { url }: Pick<ServiceProcess, 'url'>,
  name: string,
  setups: readonly string[],
): Promise<void> {
  const found = await eventually(async () => {
    const { json } = await call(url, 'GET', `/v2/evaluations?trace_id=${idsOf(name).trace_id}`)
    const evaluations = json.evaluations as { status: string; external_id: string }[]
    return evaluations.length >= setups.length && evaluations
  }, `${name} is scored`)
  assert.deepEqual(
    found.map((evaluation) => `${evaluation.external_id} ${evaluation.status}`).toSorted(),
    setups.map((setup) => `${setup} scored`).toSorted(),
  )
}
