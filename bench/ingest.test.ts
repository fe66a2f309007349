import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { promisify } from 'node:util'
import type { SelectorRule } from '../src/domain/selector.ts'
import { compileMatcher } from '../src/domain/selector-matcher.ts'
import { selectorInput } from '../src/http/routes/setups/selector-wire.ts'
import { scanTraces } from '../src/lib/otlp/scan-traces.ts'
import { temporaryDirectory } from '../tests/support/temporary-directory.ts'
import { RawInsert } from './raw-insert.ts'
import { SpanWorkload, TEMPLATES, workloadSetups } from './span-workload.ts'

const run = promisify(execFile)

for (const isCollector of [false, true]) {
  for (const matches of [0.3, 3]) {
    test(`the workload gives ${matches} matches a span, ${isCollector ? 'mixed' : 'from one application'}`, () => {
      const workload = new SpanWorkload({ spansPerRequest: 120, watchedShare: matches / 3, isCollector })
      const setups = workloadSetups() as { external_id: string; selector: unknown }[]
      const matcher = compileMatcher(
        setups.map(({ external_id: id, selector }) => ({
          id,
          selector: selectorInput.parse(selector) as SelectorRule[],
        })),
      )
      const matched = new Set<string>()
      let count = 0
      for (let request = 0; request < TEMPLATES; request++) {
        for (const span of scanTraces(workload.nextRequest(Date.now()).body).spans) {
          const found = matcher.match(span)
          count += found.length
          for (const id of found) matched.add(id)
        }
      }
      assert.equal((count / 120 / TEMPLATES).toFixed(2), matches.toFixed(2))
      assert.equal(matched.size, 100)
    })
  }
}

test('every request has ids of its own, start times of now and about 1.5 KB a span', () => {
  const workload = new SpanWorkload({ spansPerRequest: 64, watchedShare: 1, isCollector: true })
  const seen = new Set<string>()
  for (let request = 0; request < 2 * TEMPLATES; request++) {
    const nowMs = Date.now()
    const { body, spans, attributes } = workload.nextRequest(nowMs)
    const read = scanTraces(body)
    assert.equal(read.spans.length, 64)
    for (const [at, view] of read.spans.entries()) {
      const span = view.toSpan()
      assert.equal(span.traceId, spans[at]?.traceId.toString('hex'))
      assert.equal(span.spanId, spans[at]?.spanId.toString('hex'))
      assert.equal(span.startUnixNano, BigInt(spans[at]?.startMs ?? 0) * 1_000_000n)
      assert.ok(nowMs - (spans[at]?.startMs ?? 0) <= 5_000)
      assert.deepEqual(JSON.parse(attributes[at] ?? ''), Object.fromEntries(span.attributes))
      seen.add(span.traceId).add(span.spanId)
    }
    assert.ok(Math.abs(body.length / 64 - 1_500) < 150, `${body.length / 64} bytes a span`)
  }
  assert.equal(seen.size, 2 * TEMPLATES * 64 * 2)
})

test('the baseline is as durable as the service and keeps a span once', () => {
  const file = path.join(temporaryDirectory(), 'baseline.db')
  const workload = new SpanWorkload({ spansPerRequest: 64, watchedShare: 1, isCollector: false })
  const store = new RawInsert(file)
  store.prefill(workload, 1_000, () => {})
  assert.deepEqual(store.durability(), { journal_mode: 'wal', synchronous: 2 })
  const before = store.countSpans()
  const request = workload.nextRequest(Date.now())
  store.insert([request, request])
  assert.equal(store.countSpans() - before, 64)
  store.close()
  const row = new DatabaseSync(file).prepare('SELECT * FROM spans ORDER BY rowid DESC LIMIT 1').get()
  assert.deepEqual(JSON.parse(String(row?.['attributes'])), JSON.parse(request.attributes.at(-1) ?? ''))
})

test('bench:ingest measures both stores, finds every span again and leaves nothing behind', async () => {
  const dir = temporaryDirectory()
  const sizes = ['--prefill', '1000', '--requests', '2', '--rounds', '1', '--warm-up', '1', '--matches', '3']
  const options = [...sizes, '--dir', dir]
  const { stdout } = await run(process.execPath, [path.join(import.meta.dirname, 'ingest.ts'), ...options])
  for (const line of [
    /spans\/s.*'[\d,]+'.*'[\d,]+'/,
    /acknowledged, all of them stored.*'1,024'/,
    /matches\/span .*'3.0\d'/,
  ]) {
    assert.match(stdout, line)
  }
  assert.deepEqual(readdirSync(dir), [])
})

test('bench:latency follows spans to their scores and judges the goals', async () => {
  const dir = temporaryDirectory()
  const options = [
    '--spans',
    '400',
    '--request-spans',
    '20',
    '--rate',
    '200',
    '--warm-up',
    '40',
    '--dir',
    dir,
  ]
  const { stdout } = await run(process.execPath, [path.join(import.meta.dirname, 'latency.ts'), ...options])
  assert.match(stdout, /acknowledged to readable, ms.*'20'/)
  assert.match(stdout, /p99: [\d.]+ ms, goal at most 250 ms: (met|missed)/)
  assert.deepEqual(readdirSync(dir), [])
})
