import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { AttributeValue } from '../lib/otlp/span.ts'
import { ATTRIBUTE_SOURCES, type AttributeSource } from '../lib/otlp/span.ts'
import { OPERATORS } from './operators.ts'
import type { SelectorRule } from './selector.ts'
import { compileMatcher, explainRules, type Matcher } from './selector-matcher.ts'
import type { SpanAttributes } from './selector-rule.ts'

// The naive matcher: a few lines of obvious code that share nothing with the matcher, not even the text of a value.

interface NaiveSpan {
  readonly attributes: Readonly<Record<AttributeSource, ReadonlyMap<string, AttributeValue>>>
  readonly listsNames: boolean
}

const VENDOR = ['gen_ai.system', 'gen_ai.provider.name', 'llm.vendor']
const SAME_ATTRIBUTE = [
  VENDOR,
  ['gen_ai.request.model', 'llm.request.model', 'llm.model_name'],
  ['gen_ai.prompt.0.role', 'llm.prompts.0.role'],
]

function naiveMatch(setups: ReadonlyMap<number, readonly SelectorRule[]>, span: NaiveSpan): number[] {
  if (span.attributes.span_attributes.has('assay.judge')) return []
  return [...setups]
    .filter(([, selector]) => selector.every((rule) => naiveHolds(rule, span)))
    .map(([id]) => id)
}

function naiveHolds({ source, key, operator, value: given, values }: SelectorRule, span: NaiveSpan): boolean {
  const names = SAME_ATTRIBUTE.find((group) => group.includes(key)) ?? [key]
  const attributes = span.attributes[source]
  // A vendor is the same in any case; nothing else is.
  const same = (text: string) => (names === VENDOR ? text.toLowerCase() : text)
  const sent = names.flatMap((name) => naiveTexts(attributes.get(name))).map(same)
  // `x.chat` is vendor `x` too.
  const texts = names === VENDOR ? sent.flatMap((text) => [text, text.replace(/(?<=.)\.chat$/s, '')]) : sent
  const wanted = same(given ?? '')
  const oneOf = (values ?? []).map(same)
  switch (operator) {
    case 'exists':
      return names.some((name) => attributes.has(name))
    case 'not_exists':
      return !names.some((name) => attributes.has(name))
    case 'equals':
      return texts.some((text) => text === wanted)
    case 'not_equals':
      return !texts.some((text) => text === wanted)
    case 'contains':
      return texts.some((text) => text.indexOf(wanted) >= 0)
    case 'not_contains':
      return texts.every((text) => text.indexOf(wanted) < 0)
    case 'in':
      return oneOf.some((each) => texts.includes(each))
    case 'not_in':
      return oneOf.every((each) => !texts.includes(each))
  }
}

function naiveTexts(value: AttributeValue | undefined): string[] {
  if (value === undefined || value === null) return []
  if (value instanceof Uint8Array) return [btoa(String.fromCharCode(...value))]
  if (Array.isArray(value)) return value.flatMap(naiveTexts)
  if (typeof value === 'object') {
    const members = Object.entries(value).map(([name, member]) => `"${name}":${naiveJson(member)}`)
    return [`{${members.join(',')}}`]
  }
  return [`${value}`]
}

function naiveJson(value: AttributeValue): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return `[${value.map(naiveJson).join(',')}]`
  const [text = ''] = naiveTexts(value)
  const isText = ['string', 'bigint'].includes(typeof value) || value instanceof Uint8Array
  return isText ? `"${text.replaceAll('"', '\\"')}"` : text
}

// Few keys and texts, so that rules often hold.

const manyKeys = fc.nat({ max: 60 }).map((at) => `key ${at}`)
const key = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', 'b', ...SAME_ATTRIBUTE.flat()) },
  { weight: 2, arbitrary: manyKeys },
)
const word = fc.oneof(
  fc.constantFrom('', '1', '0', '0.7', 'true', 'null', 'x', 'AQL/', '"x"', '9007199254740993'),
  fc.array(fc.constantFrom('x', 'X', 'y', '-', '.chat'), { maxLength: 6 }).map((letters) => letters.join('')),
)
const scalar: fc.Arbitrary<AttributeValue> = fc.oneof(
  { weight: 4, arbitrary: word },
  fc.constantFrom(1, -0, 0.7, 1e21, true, false, null, 9_007_199_254_740_993n, new Uint8Array([1, 2, 255])),
)
const attributeValue: fc.Arbitrary<AttributeValue> = fc.oneof(
  { weight: 4, arbitrary: scalar },
  { weight: 2, arbitrary: fc.array(scalar, { maxLength: 4 }) },
  fc.record({ x: scalar, y: fc.array(fc.oneof(scalar, fc.record({ x: scalar })), { maxLength: 2 }) }),
  fc.array(fc.oneof(scalar, fc.array(scalar, { maxLength: 2 }), fc.record({ x: scalar })), { maxLength: 3 }),
)
const attributes = fc
  .array(fc.tuple(key, attributeValue), { maxLength: 8 })
  .map((entries) => new Map(entries))
const marker = fc.option(fc.constant<[string, AttributeValue]>(['assay.judge', null]), { freq: 20 })
const span: fc.Arbitrary<NaiveSpan> = fc
  .record({ span_attributes: attributes, resource_attributes: attributes, marker, listsNames: fc.boolean() })
  .map(({ marker: mark, listsNames, ...bySource }) => ({
    attributes: mark
      ? { ...bySource, span_attributes: new Map([...bySource.span_attributes, mark]) }
      : bySource,
    listsNames,
  }))

function ruleOn(keys: fc.Arbitrary<string>): fc.Arbitrary<SelectorRule> {
  return fc
    .record({
      key: keys,
      source: fc.constantFrom(...ATTRIBUTE_SOURCES),
      operator: fc.constantFrom(...OPERATORS),
      value: word,
      values: fc.array(word, { minLength: 1, maxLength: 4 }),
    })
    .map(({ value, values, ...base }) => {
      const operands: Record<string, object> = {
        exists: {},
        not_exists: {},
        in: { values },
        not_in: { values },
      }
      return { ...base, valueType: 'string', ...(operands[base.operator] ?? { value }) }
    })
}
const rule = ruleOn(key)
const many = { minLength: 20, maxLength: 70, size: 'max' } as const
// Setups that share their rules hang at the same nodes, or nodes would not be split; setups with a key each make a node
// with many branches; setups that look into one attribute make many texts to look for.
const selectors = fc.oneof(
  fc
    .array(rule, { minLength: 1, maxLength: 5, size: 'max' })
    .chain((rules) =>
      fc.array(
        fc.array(fc.oneof(fc.constantFrom(...rules), fc.constantFrom(...rules), rule), { maxLength: 4 }),
        many,
      ),
    ),
  fc.array(fc.tuple(ruleOn(manyKeys)), many),
  fc.array(fc.array(ruleOn(fc.constantFrom('a', 'llm.vendor')), { minLength: 1, maxLength: 3 }), many),
  fc.array(fc.array(rule, { maxLength: 4 }), { maxLength: 10 }),
)
const change = fc.record({ id: fc.nat({ max: 80 }), isDelete: fc.boolean(), at: fc.nat() })

/** The span as the matcher sees it; it must not ask for what it did not list. */
function asked<K>({ attributes: bySource, listsNames }: NaiveSpan, matcher: Matcher<K>): SpanAttributes {
  const listed = new Set(matcher.keys.map(({ source, key: name }) => `${source} ${name}`))
  return {
    attribute: (source, name) => {
      assert.ok(listed.has(`${source} ${name}`), `asked for ${source} ${name}`)
      return bySource[source].get(name)
    },
    ...(listsNames ? { names: (source: AttributeSource) => bySource[source].keys() } : {}),
  }
}

test('the matcher equals a naive one, also after setups were added, replaced and taken out', () => {
  fc.assert(
    fc.property(
      selectors,
      fc.array(change, { maxLength: 40, size: 'max' }),
      fc.array(span, { minLength: 1, maxLength: 6 }),
      (given, changes, spans) => {
        const setups = new Map(given.map((selector, id) => [id, selector]))
        const matcher = compileMatcher(given.map((selector, id) => ({ id, selector })))
        const check = () => {
          for (const each of spans) {
            assert.deepEqual(matcher.match(asked(each, matcher)), naiveMatch(setups, each))
          }
        }
        check()
        for (const { id, isDelete, at } of changes) {
          const selector = given[at % given.length] ?? []
          if (isDelete) {
            assert.equal(matcher.delete(id), setups.delete(id))
          } else {
            matcher.set({ id, selector })
            setups.set(id, selector)
          }
        }
        check()
        for (const id of [...setups.keys()]) matcher.delete(id)
        setups.clear()
        check()
        assert.equal(matcher.keys.length, 1)
      },
    ),
    { numRuns: 1_000 },
  )
})

test('an explanation says of every rule what the naive matcher says, and agrees with the match', () => {
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 20, size: 'max' }), span, (selector, on) => {
      const matcher = compileMatcher([{ id: 'it', selector }])
      const view = asked(on, matcher)
      const explanation = explainRules(selector, view)
      assert.deepEqual(
        explanation.rules.map(({ holds }) => holds),
        selector.map((each) => naiveHolds(each, on)),
      )
      assert.equal(explanation.matches, matcher.match(view).length === 1)
      for (const { rule: of, found } of explanation.rules) {
        for (const { key: name, value } of found) assert.equal(on.attributes[of.source].get(name), value)
      }
    }),
    { numRuns: 1_000 },
  )
})
