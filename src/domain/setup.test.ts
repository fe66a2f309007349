import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newSetup, replaceSetup, type Setup, type SetupChange } from './setup.ts'

const charCount = { slug: 'char-count', evaluatorId: 'e1' }
const wordCount = { slug: 'word-count', evaluatorId: 'e2' }
const origin = { orgId: 'o', projectId: 'p', envProjectId: 'e', atMs: 1 }

function setupWith(change: SetupChange): Setup {
  return newSetup({ id: 'id', externalId: 'x', change }, origin)
}

function slugs(setup: Setup): string[] {
  return setup.entries.map(({ slug }) => slug)
}

test('a replaced setup starts again: pending, and every entry pending without its monitor', () => {
  const stored = setupWith({ evaluators: [charCount] })
  const done: Setup = {
    ...stored,
    status: 'completed',
    entries: [{ ...charCount, override: {}, status: 'completed', bindingId: 'b', processedAtMs: 2 }],
  }
  const replaced = replaceSetup(done, {}, 3)
  assert.equal(replaced.status, 'pending')
  assert.deepEqual(replaced.entries, [{ ...charCount, override: {}, status: 'pending' }])
})

test('identity, owner and creation time never change', () => {
  const stored = setupWith({ evaluators: [charCount] })
  const { id, externalId, orgId, projectId, envProjectId, createdAtMs } = replaceSetup(
    stored,
    { evaluators: [wordCount] },
    9,
  )
  assert.deepEqual(
    { id, externalId, orgId, projectId, envProjectId, createdAtMs },
    { id: 'id', externalId: 'x', orgId: 'o', projectId: 'p', envProjectId: 'e', createdAtMs: 1 },
  )
})

test('updated_at does not go back with the clock', () => {
  const stored = replaceSetup(setupWith({ evaluators: [charCount] }), {}, 100)
  assert.equal(replaceSetup(stored, {}, 50).updatedAtMs, 100)
})

test('an evaluator listed twice is one entry', () => {
  assert.deepEqual(slugs(setupWith({ evaluators: [charCount, wordCount, charCount] })), [
    'char-count',
    'word-count',
  ])
})

test('an override adds its evaluator behind the listed ones', () => {
  const setup = setupWith({
    evaluators: [charCount],
    evaluatorConfigs: [
      { ...wordCount, override: { scope: 'trace' } },
      { ...charCount, override: { scope: 'session' } },
    ],
  })
  assert.deepEqual(
    setup.entries.map(({ slug, override }) => [slug, override.scope]),
    [
      ['char-count', 'session'],
      ['word-count', 'trace'],
    ],
  )
})

test('replacing the list keeps the overrides of what is still listed and adds nothing', () => {
  const stored = setupWith({
    evaluatorConfigs: [
      { ...charCount, override: { scope: 'trace' } },
      { ...wordCount, override: { scope: 'trace' } },
    ],
  })
  const replaced = replaceSetup(stored, { evaluators: [charCount] }, 2)
  assert.deepEqual(replaced.entries, [{ ...charCount, override: { scope: 'trace' }, status: 'pending' }])
})

test('replacing the overrides keeps the list and forgets the old overrides', () => {
  const stored = setupWith({
    evaluators: [charCount, wordCount],
    evaluatorConfigs: [{ ...charCount, override: { scope: 'trace' } }],
  })
  const replaced = replaceSetup(
    stored,
    { evaluatorConfigs: [{ ...wordCount, override: { scope: 'session' } }] },
    2,
  )
  assert.deepEqual(
    replaced.entries.map(({ slug, override }) => [slug, override.scope]),
    [
      ['char-count', undefined],
      ['word-count', 'session'],
    ],
  )
})

test('the version grows with the definition only, whatever the order of keys', () => {
  const rule = { key: 'a', source: 'span_attributes', operator: 'exists', valueType: 'string' } as const
  const stored = setupWith({ evaluators: [charCount], selector: [rule] })
  const reordered = { valueType: 'string', operator: 'exists', source: 'span_attributes', key: 'a' } as const
  assert.equal(replaceSetup(stored, { selector: [reordered], entityType: 'agent' }, 2).version, 1)
  assert.equal(replaceSetup(stored, { selector: [{ ...rule, key: 'b' }] }, 2).version, 2)
})
