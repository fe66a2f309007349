import assert from 'node:assert/strict'
import { test } from 'node:test'
import { frameOf, rowsOf, type TreeSpan, treeOf } from '../../dashboard/src/pages/traces/span-tree.ts'

const span = (id: string, parent: string | undefined, [from, to]: [number, number]): TreeSpan => ({
  span_id: id,
  ...(parent === undefined ? {} : { parent_span_id: parent }),
  start_ms: from,
  duration: to - from,
})

/** The rows of a tree as one text: each id as far to the right as it is deep. */
const drawn = (spans: readonly TreeSpan[], collapsed: string[] = []) =>
  rowsOf(treeOf(spans), new Set(collapsed)).map(
    ({ span: { span_id: id }, level }) => `${'.'.repeat(level - 1)}${id}`,
  )

test('spans stand below their parents, in the order of their starts', () => {
  const spans = [
    span('late', 'root', [50, 60]),
    span('root', undefined, [0, 100]),
    span('early', 'root', [10, 40]),
    span('leaf', 'early', [20, 30]),
  ]
  assert.deepEqual(drawn(spans), ['root', '.early', '..leaf', '.late'])
  assert.deepEqual(drawn(spans, ['early']), ['root', '.early', '.late'], 'what is closed hides what is below')
  assert.equal(treeOf(spans)[0]?.descendants, 3)
})

test('a span whose parent is missing is shown at the top and says so', () => {
  const [root, orphan] = treeOf([span('root', undefined, [0, 9]), span('orphan', 'gone', [5, 6])])
  assert.deepEqual([root?.isOrphan, orphan?.isOrphan, orphan?.level], [false, true, 1])
  const skewed = [span('child', 'orphan', [3, 4]), span('orphan', 'gone', [5, 6])]
  assert.deepEqual(
    drawn(skewed),
    ['orphan', '.child'],
    'what began before it, by another clock, is still below it',
  )
})

test('a span that is not within its parent says so; clocks may differ by a millisecond', () => {
  const [root] = treeOf([
    span('root', undefined, [10, 20]),
    span('before', 'root', [5, 12]),
    span('within', 'root', [11, 20.9]),
    span('after', 'root', [15, 22]),
  ])
  const outside = root?.children.filter((child) => child.isOutsideParent).map((child) => child.span.span_id)
  assert.deepEqual(outside, ['before', 'after'])
})

test('spans that name each other as parents are all shown, once', () => {
  const spans = [
    span('a', 'c', [0, 1]),
    span('b', 'a', [1, 2]),
    span('c', 'b', [2, 3]),
    span('self', 'self', [4, 5]),
  ]
  assert.deepEqual(drawn(spans), ['a', '.b', '..c', 'self'])
})

test('a chain of very many spans has its tree', () => {
  const chain = Array.from({ length: 20_000 }, (_, at) =>
    span(String(at), at === 0 ? undefined : String(at - 1), [at, 30_000]),
  )
  const rows = rowsOf(treeOf(chain), new Set())
  assert.deepEqual([rows.length, rows.at(-1)?.level], [20_000, 20_000])
})

test('the frame reaches from the first start to the last end', () => {
  const spans = [span('root', undefined, [10, 20]), span('late', 'root', [15, 42])]
  assert.deepEqual(frameOf(spans), { startMs: 10, durationMs: 32 })
  assert.deepEqual(frameOf([]), { startMs: 0, durationMs: 0 })
})
