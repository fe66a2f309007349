import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { executeEvaluator } from '../kit/execute-evaluator.ts'
import { agentToolTrajectory } from './agent-tool-trajectory.ts'
import { ARGUMENT_DEPTH_MAX, LEAVES_MAX } from './call-leaves.ts'
import { CALLS_MAX } from './tool-call.ts'

interface Settings {
  threshold?: number
  mismatch_sensitive?: boolean
  order_sensitive?: boolean
  input_params_sensitive?: boolean
}

async function compare(executed: unknown, expected: unknown, config: Settings = {}) {
  const input = agentToolTrajectory.input.parse({
    executed_tool_calls: JSON.stringify(executed),
    expected_tool_calls: JSON.stringify(expected),
  })
  const answer = await agentToolTrajectory.evaluate?.({
    input,
    config: agentToolTrajectory.config.parse(config),
  })
  assert.ok(answer)
  return answer
}

const call = (name: string, input: unknown = {}) => ({ name, input })

for (const example of agentToolTrajectory.examples) {
  test(`example: ${example.name}`, async () => {
    const input = agentToolTrajectory.input.parse(example.input)
    const config = agentToolTrajectory.config.parse(example.config ?? {})
    assert.deepEqual(await agentToolTrajectory.evaluate?.({ input, config }), example.output)
  })
}

describe('shapes of a call', () => {
  const shapes: Record<string, unknown> = {
    'name and input': { name: 'f', input: { a: 1 } },
    'arguments as an object': { name: 'f', arguments: { a: 1 } },
    'arguments as JSON text': { name: 'f', arguments: '{"a": 1.0}' },
    'arguments as the text of a Python dict': { name: 'f', arguments: "{'a': 1}" },
    'LangChain args': { name: 'f', args: { a: 1 }, id: 'x', type: 'tool_call' },
    parameters: { name: 'f', parameters: { a: 1 } },
    OpenAI: { id: 'x', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
    Anthropic: { type: 'tool_use', id: 'x', name: 'f', input: { a: 1 } },
    Gemini: { functionCall: { name: 'f', args: { a: 1 } } },
    Bedrock: { toolUse: { toolUseId: 'x', name: 'f', input: { a: 1 } } },
    'Vercel AI SDK': { toolCallId: 'x', toolName: 'f', args: { a: 1 } },
  }
  for (const [name, shape] of Object.entries(shapes)) {
    test(`${name} is read`, async () => {
      assert.equal((await compare([shape], [call('f', { a: 1 })])).score, 1)
    })
  }

  test('a bare name, no arguments, empty and null arguments are the same', async () => {
    for (const shape of ['f', { name: 'f' }, call('f', null), call('f', ''), { name: 'f', arguments: '{}' }])
      assert.equal((await compare([shape], [call('f')])).score, 1)
  })

  test('text that is not JSON is compared as text', async () => {
    assert.equal((await compare([call('f', '{"a": 1')], [call('f', '{"a": 1')])).score, 1)
    assert.equal((await compare([call('f', 'Oslo')], [call('f', 'Paris')])).score, 0)
  })

  for (const bad of [
    1,
    null,
    [],
    {},
    '',
    { name: '' },
    { name: 5 },
    { fn: { a: 1 } },
    { function: { arguments: '{}' } },
  ]) {
    test(`400 names the index of ${JSON.stringify(bad)}`, async () => {
      await assert.rejects(
        compare(['f', bad], ['f']),
        /invalid input: input\.executed_tool_calls\[1\] must be/,
      )
      await assert.rejects(compare(['f'], [bad]), /invalid input: input\.expected_tool_calls\[0\] must be/)
    })
  }
})

describe('arguments', () => {
  const score = async (executed: unknown, expected: unknown) =>
    (await compare([call('f', executed)], [call('f', expected)])).score

  test('count leaf by leaf over the union of the paths', async () => {
    assert.equal(await score({ a: 1, b: 2, c: 3 }, { a: 1, b: 2, c: 4 }), 2 / 3)
    assert.equal(await score({ a: 1 }, { a: 1, b: 2 }), 0.5)
    assert.equal(await score({ a: 1, b: 2, c: 3, d: 4 }, { a: 1 }), 0.25)
    assert.equal(await score({ a: { b: [1, 2] } }, { a: { b: [1, 3] } }), 0.5)
    assert.equal(await score({}, { a: 1 }), 0)
  })

  test('keep types apart, except one number written in two ways', async () => {
    assert.equal(await score({ a: '1' }, { a: 1 }), 0)
    assert.equal(await score({ a: [] }, { a: {} }), 0)
    assert.equal(await score({ a: null }, { a: 'null' }), 0)
    assert.equal(await score('{"a": 10.0}', { a: 10 }), 1)
    assert.equal(await score('{"a": -0}', { a: 0 }), 1)
  })

  test('do not mix up paths that look alike', async () => {
    assert.equal(await score({ 'a.b': 1 }, { a: { b: 1 } }), 0)
    assert.equal(await score({ a: [1] }, { a: { 0: 1 } }), 0)
    assert.equal(await score(JSON.parse('{"__proto__": {"x": 1}}'), {}), 0)
  })

  test('do not matter when the setting says so', async () => {
    const answer = await compare([call('f', { a: 1 })], [call('f', { b: 2 })], {
      input_params_sensitive: false,
    })
    assert.equal(answer.score, 1)
  })
})

describe('lists', () => {
  test('both empty score 1, an unexpected call only counts when mismatches do', async () => {
    assert.equal((await compare([], [])).score, 1)
    assert.equal((await compare(['f'], [])).score, 1)
    assert.equal((await compare(['f'], [], { mismatch_sensitive: true })).score, 0)
    assert.equal((await compare([], ['f'])).score, 0)
  })

  test('a call made twice stands for one expected call only', async () => {
    assert.equal((await compare(['f'], ['f', 'f'])).score, 0.5)
    assert.equal((await compare(['f', 'f'], ['f'], { mismatch_sensitive: true })).score, 0.5)
  })

  test('order matters only when the setting says so', async () => {
    assert.equal((await compare(['b', 'a', 'c'], ['a', 'b', 'c'])).score, 1)
    const ordered = await compare(['b', 'a', 'c'], ['a', 'b', 'c'], { order_sensitive: true, threshold: 1 })
    assert.equal(ordered.score, 2 / 3)
    assert.equal(ordered.success, false)
    assert.match(ordered.reason, /^Out of order: [ab] #\d\.$/)
  })

  test('sums of thirds reach the threshold that they equal', async () => {
    const executed = [1, 2, 3, 4, 5].map((n) => call(`f${n}`, { a: 1, b: 1, c: 0 }))
    const expected = [1, 2, 3, 4, 5].map((n) => call(`f${n}`, { a: 1, b: 1, c: 1 }))
    assert.equal((await compare(executed, expected, { threshold: 2 / 3 })).success, true)
    assert.equal((await compare(executed, expected, { threshold: 0.667 })).success, false)
  })
})

describe('the reason', () => {
  test('names what is missing, different and extra', async () => {
    const answer = await compare(
      [call('book', { seat: { row: 2 }, meal: 'none' }), call('log')],
      [call('search'), call('book', { seat: { row: 1 }, bags: 0 })],
    )
    assert.equal(
      answer.reason,
      'Missing: search #1. Different: book #2 (bags is missing, seat.row differs, meal is extra). Extra, not counted: log #2.',
    )
  })

  test('stays short for long names and many faults', async () => {
    const expected = Array.from({ length: 500 }, (_, n) => call(`f${n}${'x'.repeat(5000)}`))
    const executed = Array.from({ length: 500 }, (_, n) => call(`g${n}${'y'.repeat(5000)}`))
    const { reason } = await compare(executed, expected)
    assert.ok(reason.length < 1000, `${reason.length} characters`)
    assert.match(reason, /and 497 more/)
  })
})

describe('limits', () => {
  test('400 for more calls than the maximum', async () => {
    const calls = Array.from({ length: CALLS_MAX + 1 }, () => 'f')
    await assert.rejects(compare(calls, ['f']), /input\.executed_tool_calls must have at most 1000 calls/)
  })

  test('400 for arguments nested too deep, without overflowing', async () => {
    const deep = (levels: number) => JSON.parse(`${'['.repeat(levels)}1${']'.repeat(levels)}`)
    await compare([call('f', deep(ARGUMENT_DEPTH_MAX))], ['f'])
    const text = `[{"name": "f", "input": ${'['.repeat(100_000)}${']'.repeat(100_000)}}]`
    const input = agentToolTrajectory.input.parse({ executed_tool_calls: text, expected_tool_calls: '[]' })
    const config = agentToolTrajectory.config.parse({})
    assert.throws(() => agentToolTrajectory.evaluate?.({ input, config }), /nested deeper than 100 levels/)
  })

  test('400 for more argument leaves than the maximum', async () => {
    const many = call('f', Array(LEAVES_MAX + 1).fill(0))
    await assert.rejects(
      compare(['f'], [many]),
      /input\.expected_tool_calls must have at most 100000 arguments/,
    )
  })

  test('one long key above many leaves does not multiply', async () => {
    const big = call('f', { ['k'.repeat(500_000)]: Array(50_000).fill(1) })
    assert.equal((await compare([big], [big])).score, 1)
  })
})

test('recognises the same calls whatever their ids, also where the arguments are too deep to be compared', async () => {
  const call = (id: string, args: string) => ({
    id,
    type: 'function',
    function: { name: 'a', arguments: args },
  })
  const made = JSON.stringify([call('1', '{"x":1}'), call('2', '{"x":2}')])
  const wanted = JSON.stringify([call('9', '{"x":2}'), call('8', '{"x":1}')])
  const run = (executed: string, expected: string, config = {}) =>
    executeEvaluator(
      agentToolTrajectory,
      { executed_tool_calls: executed, expected_tool_calls: expected },
      config,
    )
  assert.equal((await run(made, wanted))['score'], 1)
  assert.equal((await run(made, wanted, { order_sensitive: true }))['score'], 0.5)
  const deep = (value: number) => `[{"name":"a","input":${'['.repeat(20_000)}${value}${']'.repeat(20_000)}}]`
  assert.equal((await run(deep(1), deep(1)))['score'], 1)
  await assert.rejects(run(deep(1), deep(2)), /must not be nested deeper than \d+ levels/)
})
