import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { startFakeModel } from '../../src/cli/fake-judge/fake-model-server.ts'
import type { TestAttributes, TestSpan } from '../otlp/encode-traces.ts'
import { startService } from '../support/service.ts'
import { eventually, sendSpans, untilStatus } from '../support/spans.ts'
import { createSetup, SETUPS, setupPath } from './setup-calls.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
type Json = any

const model = await startFakeModel()
after(() => model.close())
const service = await startService({
  ASSAY_SETUP_REST_MS: '0',
  ASSAY_TRACE_QUIET_MS: '50',
  ASSAY_JUDGE_BASE_URL: model.url,
  ASSAY_JUDGE_API_KEY: 'sk-test',
})

const bytesOf = (text: string, length: number) =>
  createHash('sha256').update(text).digest().subarray(0, length)
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

/** A span of a trace, by names; the one without a parent is the root. */
function spanOf(trace: string, name: string, attributes: TestAttributes, parent?: string): TestSpan {
  const startUnixNano = BigInt(Date.now()) * 1_000_000n
  return {
    traceId: bytesOf(trace, 16),
    spanId: bytesOf(`${trace} ${name}`, 8),
    ...(parent === undefined ? {} : { parentSpanId: bytesOf(`${trace} ${parent}`, 8) }),
    name,
    kind: 1,
    startUnixNano,
    endUnixNano: startUnixNano + 1_000_000n,
    attributes,
  }
}

const of = (app: string) => ({ key: 'service.name', source: 'resource_attributes', value: app })
const sent = (app: string, spans: readonly TestSpan[]) =>
  sendSpans(service, spans, { resource: { 'service.name': app } })

async function explain(trace: string, span: string, externalId: string): Promise<Json> {
  const path = `/v2/spans/${hex(bytesOf(trace, 16))}/${hex(bytesOf(`${trace} ${span}`, 8))}/explain`
  const answer = await service.call('GET', `${path}?external_id=${externalId}`)
  assert.equal(answer.status, 200, answer.text)
  return answer.json.setups[0]
}

const resultsOf = async (externalId: string): Promise<Json[]> =>
  (await service.call('GET', `/v2/evaluations?external_id=${externalId}&limit=100`)).json.evaluations

/** Every result of a setup, once every unit that it matched has an end. */
async function allResults(externalId: string, units: number): Promise<{ results: Json[]; counts: Json }> {
  const counts = await eventually(async () => {
    const { monitors } = (await service.call('GET', `/v2/monitors?external_id=${externalId}`)).json
    const found: Record<string, number> = monitors[0]?.counts ?? {}
    const ended = Object.values(found).reduce((sum, one) => sum + one, 0)
    return ended >= units && found
  }, `${units} units of ${externalId} have an end`)
  return { results: await resultsOf(externalId), counts }
}

async function dryRun(body: object): Promise<Json> {
  const answer = await service.call('POST', `${SETUPS}/dry-run`, { body })
  assert.equal(answer.status, 200, answer.text)
  return answer.json
}

/** A call of the Vercel AI SDK: what the SDK sends for `generateText`. */
const outer = (trace: string, more: TestAttributes = {}) =>
  spanOf(trace, 'ai.generateText', {
    'ai.operationId': 'ai.generateText',
    'ai.model.id': 'gpt-4o',
    'ai.model.provider': 'openai.chat',
    'ai.prompt': '{"prompt":"Weather in Paris?"}',
    'ai.response.text': 'It is sunny.',
    ...more,
  })
const inner = (trace: string, more: TestAttributes = {}) =>
  spanOf(
    trace,
    'ai.generateText.doGenerate',
    {
      'ai.operationId': 'ai.generateText.doGenerate',
      'gen_ai.system': 'openai.chat',
      'gen_ai.request.model': 'gpt-4o',
      'ai.prompt.messages': '[{"role":"user","content":[{"type":"text","text":"Weather in Paris?"}]}]',
      'ai.response.text': 'It is sunny.',
      ...more,
    },
    'ai.generateText',
  )

describe('a call with an outer and an inner span', () => {
  const batches = {
    'inner first': [[inner('v1')], [outer('v1')]],
    'outer first': [[outer('v2')], [inner('v2')]],
    'in one request': [[outer('v3'), inner('v3')]],
  }
  for (const [at, [order, requests]] of Object.entries(batches).entries()) {
    test(`is one unit, the inner span: ${order}`, async () => {
      const app = `vercel-${at}`
      await createSetup(service, { external_id: app, selector: [of(app)] })
      for (const spans of requests) await sent(app, spans)
      await untilStatus(service, app, 'completed')
      const { results, counts } = await allResults(app, 2)
      assert.deepEqual(
        results.map(({ status, span_id: id }) => [status, id]),
        [['scored', hex(bytesOf(`v${at + 1} ai.generateText.doGenerate`, 8))]],
      )
      assert.deepEqual(counts, { scored: 1, skipped: 1 })
      const [entry] = (await explain(`v${at + 1}`, 'ai.generateText', app)).evaluators
      assert.equal(entry.outcome, 'skipped')
      assert.match(entry.reason, /the outer span of a model call, whose inner span is scored/)
    })
  }

  test('is one unit, too, for a selector that matches both by an attribute of the application', async () => {
    await createSetup(service, {
      external_id: 'own-attribute',
      selector: [{ key: 'app.feature', source: 'span_attributes', value: 'weather' }],
    })
    const more = { 'app.feature': 'weather' }
    await sent('own', [outer('v4', more), inner('v4', more)])
    const { counts } = await allResults('own-attribute', 2)
    assert.deepEqual(counts, { scored: 1, skipped: 1 })
  })

  test('is scored on the outer span where the selector names it', async () => {
    await createSetup(service, {
      external_id: 'outer-only',
      selector: [of('outer'), { key: 'ai.operationId', source: 'span_attributes', value: 'ai.generateText' }],
    })
    await sent('outer', [outer('v5'), inner('v5')])
    const { results, counts } = await allResults('outer-only', 1)
    assert.deepEqual(counts, { scored: 1 })
    assert.equal(results[0].span_id, hex(bytesOf('v5 ai.generateText', 8)))
  })
})

const workflow = (trace: string) =>
  spanOf(trace, 'shop.workflow', {
    'traceloop.span.kind': 'workflow',
    'traceloop.entity.input': '{"args":["Weather?"],"kwargs":{}}',
    'traceloop.entity.output': '"Sunny."',
  })
const http = (trace: string) =>
  spanOf(trace, 'GET', { 'http.request.method': 'GET', 'gen_ai.conversation.id': 's' }, 'shop.workflow')
const guard = (trace: string) =>
  spanOf(
    trace,
    'pii.guard',
    {
      'gen_ai.operation.name': 'guard',
      'gen_ai.guardrail.input': 'x',
      'input.value': 'x',
      'output.value': 'PASSED',
    },
    'shop.workflow',
  )
const chat = (trace: string, parent = 'shop.workflow') =>
  spanOf(
    trace,
    'chat gpt-4o',
    {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'gpt-4o',
      'gen_ai.prompt.0.content': 'Weather?',
      'gen_ai.completion.0.content': 'Sunny.',
    },
    parent,
  )

describe('spans that are no call of a model, a tool or an agent', () => {
  test('have no rows without a selector that names them, and each says why', async () => {
    const selector = [of('plumbing')]
    await createSetup(service, { external_id: 'plumbing', selector })
    await sent('plumbing', [workflow('p1'), http('p1'), guard('p1'), chat('p1')])
    const { results, counts } = await allResults('plumbing', 4)
    assert.deepEqual(counts, { scored: 1, skipped: 3 })
    assert.deepEqual(
      results.map(({ span_id: id }) => id),
      [hex(bytesOf('p1 chat gpt-4o', 8))],
    )
    for (const [span, words] of [
      ['shop.workflow', /skipped, because it is a workflow span; .*name it in the selector/],
      ['GET', /skipped, because it is a span without a model/],
      ['pii.guard', /skipped, because it is a guard/],
    ] as const) {
      const setup = await explain('p1', span, 'plumbing')
      assert.deepEqual([setup.matched, setup.evaluators[0].outcome], [true, 'skipped'])
      assert.match(setup.summary, words)
    }
    const [tried] = (await dryRun({ external_id: 'tried', evaluators: ['char-count'], selector })).evaluators
    assert.deepEqual(tried.skipped, { workflow: 1, other: 1, guard: 1 })
    assert.deepEqual([tried.checked, tried.missing_share, tried.inputs.length], [1, 0, 1])
  })

  test('are scored where the selector names them or the mapping is explicit', async () => {
    const named = [of('named'), { key: 'traceloop.span.kind', source: 'span_attributes', value: 'workflow' }]
    await createSetup(service, { external_id: 'named', selector: named })
    const mapping = { text: { source: 'span_attributes', key: 'traceloop.entity.output' } }
    const evaluator_configs = [{ slug: 'char-count', mapping }]
    await createSetup(service, { external_id: 'mapped', selector: [of('named')], evaluator_configs })
    await sent('named', [workflow('p2'), chat('p2')])
    assert.deepEqual((await allResults('named', 1)).counts, { scored: 1 })
    assert.deepEqual((await allResults('mapped', 2)).counts, { scored: 1, missing_input: 1 })
  })

  test('bind nothing by themselves, and the entry heals when a call arrives', async () => {
    await createSetup(service, { external_id: 'healing', selector: [of('healing')] })
    await sent('healing', [workflow('p3')])
    const failed = await untilStatus(service, 'healing', 'failed')
    assert.match(
      failed.evaluators[0].error_message,
      /^the matching span is no call of a model, a tool or an agent/,
    )
    assert.match(
      (await explain('p3', 'shop.workflow', 'healing')).summary,
      /it has no monitor: the matching span/,
    )
    await sent('healing', [chat('p3')])
    await untilStatus(service, 'healing', 'completed')
    assert.deepEqual((await allResults('healing', 2)).counts, { scored: 1, skipped: 1 })
  })

  async function backfilled(externalId: string, body: object = {}): Promise<Json> {
    const answer = await service.call('POST', `${setupPath(externalId)}/backfill`, { body })
    assert.equal(answer.status, 201, answer.text)
    return eventually(async () => {
      const { json } = await service.call('GET', `/v2/jobs/${answer.json.id}`)
      return json.state === 'done' && json.progress
    }, 'the backfill ends')
  }

  test('are not queued by a backfill, which finds them skipped', async () => {
    await createSetup(service, { external_id: 'later', selector: [of('later')] })
    await sent('later', [workflow('p4'), chat('p4')])
    assert.deepEqual((await allResults('later', 2)).counts, { scored: 1, skipped: 1 })
    const { matched, queued, skipped } = await backfilled('later')
    assert.deepEqual([matched, queued, skipped], [2, 0, 0])
    assert.deepEqual((await allResults('later', 2)).counts, { scored: 1, skipped: 1 })
  })

  test('take nothing of the limit of a backfill, and are explained after it', async () => {
    await sent('before', [chat('p6')])
    await sent('before', [workflow('p6'), http('p6')])
    await createSetup(service, { external_id: 'after', selector: [of('before')] })
    await sent('before', [chat('p7')])
    await allResults('after', 1)
    const { matched, queued, evaluated } = await backfilled('after', { limit: 1 })
    assert.deepEqual([matched, queued, evaluated], [4, 1, 1])
    assert.deepEqual((await allResults('after', 2)).counts, { scored: 2 })
    assert.match(
      (await explain('p6', 'shop.workflow', 'after')).summary,
      /skipped, because it is a workflow span/,
    )
  })

  test('are scored by a backfill once the changed setup names them', async () => {
    await createSetup(service, { external_id: 'changed', selector: [of('changed')] })
    await sent('changed', [workflow('p8'), chat('p8')])
    assert.deepEqual((await allResults('changed', 2)).counts, { scored: 1, skipped: 1 })
    const selector = [
      of('changed'),
      { key: 'traceloop.span.kind', source: 'span_attributes', value: 'workflow' },
    ]
    const answer = await service.call('PUT', setupPath('changed'), { body: { selector } })
    assert.equal(answer.status, 200, answer.text)
    const { queued, evaluated } = await backfilled('changed')
    assert.deepEqual([queued, evaluated], [1, 1])
    const { span_id: id } = (await resultsOf('changed')).find(({ status }) => status === 'scored')
    assert.equal(id, hex(bytesOf('p8 shop.workflow', 8)))
  })

  test('are skipped by judged evaluators too, before a judge is asked', async () => {
    await createSetup(service, {
      external_id: 'judged',
      evaluators: ['answer-relevancy'],
      selector: [of('judged')],
    })
    await sent('judged', [workflow('p5'), http('p5'), chat('p5')])
    assert.deepEqual((await allResults('judged', 3)).counts, { scored: 1, skipped: 2 })
  })
})

describe('documents on another span of the trace', () => {
  const retriever = (trace: string) =>
    spanOf(
      trace,
      'Store',
      {
        'openinference.span.kind': 'RETRIEVER',
        'input.value': 'Weather?',
        'retrieval.documents.0.document.content': 'It is sunny.',
      },
      'RunnableSequence',
    )
  const parallel = (trace: string) =>
    spanOf(
      trace,
      'RunnableParallel<context,question>',
      {
        'openinference.span.kind': 'CHAIN',
        'input.value': 'Weather?',
        'output.value': '{"context":[{"page_content":"It is sunny."}],"question":"Weather?"}',
      },
      'RunnableSequence',
    )
  const root = (trace: string) =>
    spanOf(trace, 'RunnableSequence', {
      'openinference.span.kind': 'CHAIN',
      'input.value': 'Weather?',
      'output.value': 'Sunny.',
    })
  const rag = (trace: string) => [
    retriever(trace),
    parallel(trace),
    chat(trace, 'RunnableSequence'),
    root(trace),
  ]

  test('are found: the evaluator looks at the trace, and the entry and the dry run say so', async () => {
    const selector = [of('rag')]
    await sent('rag', rag('r0'))
    const body = { evaluators: ['faithfulness', 'char-count'], selector }
    const report = await eventually(async () => {
      const tried = await dryRun({ external_id: 'rag', ...body })
      return tried.evaluators[0].scope === 'trace' && tried
    }, 'the dry run sees the trace')
    assert.equal(report.evaluators[0].error_message, undefined)
    assert.deepEqual(report.evaluators[0].inputs[0].input, {
      completion: 'Sunny.',
      context: 'It is sunny.',
      question: 'Weather?',
    })
    assert.equal(report.evaluators[1].scope, 'span')

    await createSetup(service, { external_id: 'rag', ...body })
    await sent('rag', rag('r1'))
    const setup = await untilStatus(service, 'rag', 'completed')
    assert.deepEqual(
      setup.evaluators.map((one: Json) => [one.evaluator_type, one.scope]),
      [
        ['faithfulness', 'trace'],
        ['char-count', 'span'],
      ],
    )
    const results = await eventually(async () => {
      const found = await resultsOf('rag')
      return found.some(({ evaluator_type: slug }) => slug === 'faithfulness') && found
    }, 'the trace is scored')
    const faithful = results.filter(({ evaluator_type: slug }) => slug === 'faithfulness')
    assert.deepEqual(
      faithful.map(({ status, scope, trace_id: id }) => [status, scope, id]),
      [['scored', 'trace', hex(bytesOf('r1', 16))]],
    )
    // Applied again without a change it stays what it is.
    await service.call('PUT', setupPath('rag'), { body: {} })
    const again = await untilStatus(service, 'rag', 'completed')
    assert.equal(again.evaluators[0].scope, 'trace')
  })

  test('that are nowhere are named as missing on spans and traces', async () => {
    await createSetup(service, {
      external_id: 'no-documents',
      evaluators: ['faithfulness'],
      selector: [of('no-documents')],
    })
    await sent('no-documents', [chat('r2', 'RunnableSequence'), root('r2')])
    const setup = await untilStatus(service, 'no-documents', 'failed')
    assert.match(
      setup.evaluators[0].error_message,
      /^neither the matching span nor its trace gives input context \(field context\)/,
    )
  })
})
