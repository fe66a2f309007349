import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import { type FakeModelOptions, startFakeModel } from '../../src/cli/fake-judge/fake-model-server.ts'
import { FIRST_KEY } from '../support/call.ts'
import { startService } from '../support/service.ts'
import { chatSpan, eventually, idsOf, sendSpans } from '../support/spans.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { createGroupSetup, GROUP, resultsOf } from './result-calls.ts'
import { assertError } from './setup-calls.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
type Json = any

type Answer = NonNullable<FakeModelOptions['answer']>
let answer: Answer = () => undefined
const model = await startFakeModel({ answer: (request) => answer(request) })
after(() => model.close())
const prices = path.join(temporaryDirectory(), 'prices.json')
writeFileSync(prices, JSON.stringify({ 'openai/dear': { input: 1_000, output: 1_000 } }))
const service = await startService({
  ASSAY_JUDGE_MODEL: 'openai/tiny',
  ASSAY_JUDGE_BASE_URL: model.url,
  ASSAY_JUDGE_PRICES: prices,
})

const POLITE = {
  name: 'Politeness',
  provider: 'openai',
  model: 'tiny',
  messages: [{ role: 'user', content: 'Is this polite? {{completion}}' }],
  input_schema: [{ name: 'completion', type: 'string' }],
  output_schema: [
    { name: 'pass', type: 'boolean' },
    { name: 'reason', type: 'string' },
  ],
  verdict: { property: 'pass', is: true, pass_label: 'Polite', fail_label: 'Rude' },
}
const NAMES = Array.from({ length: 12 }, (_, at) => `chat ${at}`)
const ROWS = NAMES.map(idsOf)

await createGroupSetup(service, 'counted', { evaluators: ['char-count'] })
await sendSpans(
  service,
  NAMES.map((name) =>
    chatSpan(name, {
      prompt: `Question of ${name}?`,
      completion: `Answer of ${name}.`,
      attributes: { [GROUP]: 'counted' },
    }),
  ),
)
await resultsOf(service, 'counted', NAMES.length)

interface Trial {
  readonly status: number
  readonly results: Json[]
  readonly summary: Json
}

async function runTrial(body: Json, key: string = FIRST_KEY): Promise<Trial> {
  const response = await fetch(`${service.url}/v2/evaluators/trials`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const lines = (await response.text()).split('\n').filter((line) => line !== '')
  const parsed = lines.map((line) => JSON.parse(line))
  if (response.status === 200)
    assert.equal(response.headers.get('content-encoding'), null, 'lines are not held back by compression')
  return {
    status: response.status,
    results: parsed.flatMap(({ result }) => result ?? []),
    summary: parsed.at(-1)?.summary ?? parsed[0],
  }
}

/** Answers that depend on the question, whatever the order in which rows come. */
function answerBy(isPolite: (prompt: string) => boolean): void {
  answer = ({ body }) => {
    const prompt = JSON.stringify(body['messages'])
    return { content: { pass: isPolite(prompt), reason: `Because of ${/chat \d+/.exec(prompt)?.[0]}.` } }
  }
}

test('200 trying an evaluator tells its verdict, its evidence and what it took', async () => {
  const body = { input: { text: 'write to anna.schmidt@example.org' } }
  const found = (await service.call('POST', '/v2/evaluators/pii-detector/try', { body })).json
  assert.deepEqual(
    [found.verdict, found.verdict_label, found.output.has_pii],
    ['fail', 'Personal data found', true],
  )
  assert.equal(found.judge, undefined)
  const executed = await service.call('POST', '/v2/evaluators/pii-detector/execute', { body })
  assert.deepEqual(executed.json, found.output)
  const count = (
    await service.call('POST', '/v2/evaluators/char-count/try', { body: { input: { text: 'x' } } })
  ).json
  assert.deepEqual([count.verdict, count.verdict_label], ['neutral', undefined])
  const judged = await service.call('POST', '/v2/evaluators/faithfulness/try', {
    body: {
      input: {
        question: 'Where is the cat?',
        completion: 'The cat is on the mat.',
        context: 'The cat is on the mat.',
      },
    },
  })
  assert.equal(judged.status, 200, judged.text)
  assert.equal(judged.json.judge, 'openai/tiny')
  assert.ok(judged.json.judgement.calls > 0 && judged.json.judgement.prompt_tokens > 0)
  assert.ok(judged.json.judgement.evidence, 'the claims are told')
})

test('400 and 404 of trying are those of executing', async () => {
  assertError(await service.call('POST', '/v2/evaluators/char-count/try', { body: { input: {} } }), 400)
  assertError(await service.call('POST', '/v2/evaluators/unheard-of/try', { body: { input: {} } }), 404)
})

test('200 rows are readable: the newest traces, the units of a monitor, the spans of a trace', async () => {
  const get = async (query: string) => (await service.call('GET', `/v2/trial-rows?${query}`)).json
  const newest = await eventually(async () => {
    const page = await get('limit=5')
    return page.rows.length === 5 && page
  }, 'five traces are summed up')
  assert.match(newest.rows[0].question, /^Question of chat \d+\?$/)
  assert.match(newest.rows[0].answer, /^Answer of chat \d+\.$/)
  assert.equal(newest.rows[0].service, 'shop')
  const second = await get(`limit=50&cursor=${newest.next_cursor}`)
  const seen = [...newest.rows, ...second.rows].map(({ trace_id }: Json) => trace_id)
  assert.deepEqual(seen.toSorted(), ROWS.map(({ trace_id }) => trace_id).toSorted())
  const { monitors } = (await service.call('GET', '/v2/monitors')).json
  const [{ id }] = monitors
  const first = await get(`monitor_id=${id}&limit=7`)
  const rest = await get(`monitor_id=${id}&limit=50&cursor=${first.next_cursor}`)
  assert.deepEqual([first.rows.length, rest.rows.length], [7, 5])
  assert.match(first.rows[0].span_id, /^[0-9a-f]{16}$/)
  const [row] = ROWS
  const ofTrace = await get(`trace_id=${row?.trace_id}`)
  assert.deepEqual(
    ofTrace.rows.map(({ span_id }: Json) => span_id),
    [undefined, row?.span_id],
  )
  assert.deepEqual((await get('service=unheard-of')).rows, [])
})

test('200 rows of another organization are not shown', async () => {
  const other = (await service.call('POST', '/v2/organizations', { body: { org_name: 'Other' } })).json
  const key = other.environments[0].api_key
  const rows = await service.call('GET', '/v2/trial-rows', { key })
  assert.deepEqual([rows.status, rows.json.rows], [200, []])
  const trial = await runTrial({ candidates: [{ draft: POLITE }], rows: [ROWS[0]] }, key)
  assert.deepEqual(
    trial.results.map(({ problem }) => problem),
    ['the span is no longer kept'],
  )
})

test('400 names what is wrong with a list of rows', async () => {
  for (const [query, message] of [
    ['trace_id=xyz', /^invalid input: trace_id/],
    ['limit=51', /^invalid input: limit must be an integer from 1 to 50/],
    ['cursor=nonsense', /^invalid input: cursor must be the next_cursor/],
    ['service=a&monitor_id=b', /^invalid input: service must be absent beside monitor_id/],
  ] as const) {
    const answer = await service.call('GET', `/v2/trial-rows?${query}`)
    assert.equal(answer.status, 400, answer.text)
    assert.match(answer.json.error, message)
  }
})

test('200 tries a judge on many rows, compares it with people, and stores nothing', async () => {
  const rude = new Set(['chat 2', 'chat 5', 'chat 7'])
  answerBy((prompt) => ![...rude].some((name) => prompt.includes(`${name}.`)))
  for (const [at, name] of NAMES.entries())
    await service.call('POST', '/v2/scores', {
      body: { ...ROWS[at], name: 'polite', value: !rude.has(name) && at !== 9, source: 'human' },
    })
  const evaluations = async () =>
    (await service.call('GET', '/v2/evaluations?limit=1000')).json.evaluations.length
  const before = await evaluations()
  const trial = await runTrial({ candidates: [{ draft: POLITE }], rows: ROWS, label: 'polite' })
  assert.equal(trial.results.length, NAMES.length)
  const failed = trial.results.filter(({ verdict }) => verdict === 'fail')
  assert.deepEqual(failed.map(({ row }) => NAMES[row]).toSorted(), [...rude])
  assert.deepEqual(new Set(failed.map(({ verdict_label }) => verdict_label)), new Set(['Rude']))
  assert.match(failed[0].output.reason, /Because of chat/)
  const disputed = trial.results.filter(({ verdict, label }) => verdict !== label)
  assert.deepEqual(
    disputed.map(({ row, label }) => [NAMES[row], label]),
    [['chat 9', 'fail']],
  )
  const [told] = trial.summary.candidates
  assert.deepEqual(
    [told.rows, told.passed, told.failed, told.unanswered, told.labelled, told.equal],
    [12, 9, 3, 0, 12, 11],
  )
  assert.ok(Math.abs(told.accuracy - 11 / 12) < 1e-9)
  // Chance: 9/12 × 8/12 + 3/12 × 4/12 = 7/12; kappa: (11/12 − 7/12) / (5/12) = 0.8.
  assert.ok(Math.abs(told.kappa - 0.8) < 1e-9)
  assert.equal(await evaluations(), before)
  const { evaluators } = (await service.call('GET', '/v2/evaluators?source=custom')).json
  assert.deepEqual(evaluators, [])
})

test('200 compares a stored version with a draft, row by row', async () => {
  const made = await service.call('POST', '/v2/evaluators', { body: { ...POLITE, slug: 'polite' } })
  assert.equal(made.status, 200, made.text)
  answerBy((prompt) => !(prompt.includes('Strictly') && prompt.includes('chat 1.')))
  const strict = {
    ...POLITE,
    messages: [{ role: 'user', content: 'Strictly: is this polite? {{completion}}' }],
  }
  const rows = [...ROWS.slice(0, 3), { input: { completion: 'Typed by hand.' } }]
  const trial = await runTrial({
    candidates: [{ evaluator: 'polite', version: '1' }, { draft: strict }],
    rows,
  })
  assert.equal(trial.results.length, 8)
  assert.equal(trial.summary.differences, 1)
  const of = (candidate: number) =>
    trial.results
      .filter((result) => result.candidate === candidate)
      .toSorted((left, right) => left.row - right.row)
      .map(({ verdict }) => verdict)
  assert.deepEqual(of(0), ['pass', 'pass', 'pass', 'pass'])
  assert.deepEqual(of(1), ['pass', 'fail', 'pass', 'pass'])
})

test('200 an input whose name says nothing is taken from the field that is named', async () => {
  answerBy((prompt) => prompt.includes('Question of chat 3?'))
  const draft = {
    ...POLITE,
    messages: [{ role: 'user', content: '{{thing}}' }],
    input_schema: [{ name: 'thing', type: 'string' }],
  }
  const without = await runTrial({ candidates: [{ draft }], rows: [ROWS[3]] })
  assert.deepEqual(
    without.results.map(({ problem }) => problem),
    ['this row has no thing'],
  )
  const trial = await runTrial({ candidates: [{ draft }], rows: [ROWS[3]], fields: { thing: 'prompt' } })
  assert.deepEqual(
    trial.results.map(({ verdict }) => verdict),
    ['pass'],
  )
})

test('a row that fails says why and the others go on', async () => {
  answer = () => undefined
  model.script({ refusal: true })
  const trial = await runTrial({
    candidates: [{ draft: { ...POLITE, messages: [{ role: 'user', content: 'Once. {{completion}}' }] } }],
    rows: ROWS.slice(0, 4),
  })
  const problems = trial.results.filter(({ problem }) => problem !== undefined)
  assert.equal(problems.length, 1)
  assert.match(problems[0].problem, /declined to answer/)
  assert.equal(trial.summary.candidates[0].unanswered, 1)
})

test('never more than four questions of a trial are under way, and closing the connection ends it', async () => {
  const held: (() => void)[] = []
  const asked = Promise.withResolvers<void>()
  answer = async () => {
    await new Promise<void>((resolve) => {
      held.push(resolve)
      if (held.length === 4) asked.resolve()
    })
    return undefined
  }
  const closing = new AbortController()
  const draft = { ...POLITE, messages: [{ role: 'user', content: 'Held. {{completion}}' }] }
  const begun = model.requests.length
  const trial = fetch(`${service.url}/v2/evaluators/trials`, {
    method: 'POST',
    headers: { authorization: `Bearer ${FIRST_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ candidates: [{ draft }], rows: ROWS }),
    signal: closing.signal,
  })
  await asked.promise
  assert.equal(model.requests.length - begun, 4)
  closing.abort()
  await assert.rejects(async () => (await trial).text(), { name: 'AbortError' })
  // The lane has room again when the service has let go of the four.
  await eventually(async () => {
    const [{ used_slots, waiting_calls }] = (await service.call('GET', '/v2/judges')).json.providers
    return used_slots === 0 && waiting_calls === 0
  }, 'no call is under way')
  for (const release of held) release()
  answer = () => undefined
  assert.equal(model.requests.length - begun, 4)
})

test('a budget that is spent ends the trial', async () => {
  await service.call('PUT', '/v2/budgets', { body: { day_usd: 0.001 } })
  let attempt = 0
  // A changed budget takes effect within seconds, and what is known already costs nothing.
  const trial = await eventually(async () => {
    const messages = [{ role: 'user', content: `Attempt ${++attempt}. {{completion}}` }]
    const draft = { ...POLITE, messages, model: 'dear' }
    const tried = await runTrial({ candidates: [{ draft }], rows: ROWS })
    return tried.results.some(({ problem }) => /the budget of the project/.test(problem ?? '')) && tried
  }, 'the budget is spent')
  assert.ok(trial.results.length < ROWS.length)
  assert.equal(trial.summary.rows, ROWS.length)
  await service.call('DELETE', '/v2/budgets')
})

test('400 and 404 of a trial name what is wrong before anything is asked', async () => {
  const begun = model.requests.length
  const draft = { ...POLITE, messages: [{ role: 'user', content: '{{unknown}}' }] }
  for (const [body, status, message] of [
    [{ candidates: [], rows: [ROWS[0]] }, 400, /^invalid input: candidates /],
    [{ candidates: [{ draft: POLITE }], rows: [] }, 400, /^invalid input: rows /],
    [{ candidates: [{ draft: POLITE }], rows: Array(51).fill(ROWS[0]) }, 400, /^invalid input: rows /],
    [{ candidates: [{ draft: POLITE }], rows: [{ trace_id: 'x' }] }, 400, /^invalid input: rows\[0\]/],
    [{ candidates: [{ draft }], rows: [ROWS[0]] }, 400, /unknown/],
    [{ candidates: [{ evaluator: 'unheard-of' }], rows: [ROWS[0]] }, 404, /evaluator not found/],
    [{ candidates: [{ draft: POLITE }], rows: [ROWS[0]], fields: { completion: 'moon' } }, 400, /fields/],
  ] as const) {
    const trial = await runTrial(body)
    assert.equal(trial.status, status, JSON.stringify(body))
    assert.match(trial.summary.error, message)
  }
  assert.equal(model.requests.length, begun)
})

test('200 a verdict rule that was chosen can go back to the default', async () => {
  const verdict = { property: 'pass', is: false }
  const patch = (body: Json) => service.call('PATCH', '/v2/evaluators/polite', { body })
  const chosen = (await patch({ verdict })).json.evaluator
  assert.equal(chosen.verdict.rule, 'pass is false')
  assert.equal((await patch({ name: 'Kindness' })).json.evaluator.verdict.rule, 'pass is false')
  const back = (await patch({ verdict: null })).json
  assert.deepEqual([back.evaluator.verdict.rule, back.evaluator.chosen_verdict], ['pass is true', undefined])
  assert.equal(back.versions.length, 1)
})

test('400 names the aggregation when the pass rate of a monitor that only counts is asked for', async () => {
  const [{ id }] = (await service.call('GET', '/v2/monitors')).json.monitors
  const answer = await service.call('GET', `/v2/monitors/${id}/series?aggregation=pass_rate`)
  assert.equal(answer.status, 400)
  assert.match(answer.json.error, /^invalid input: aggregation must not be pass_rate/)
})
