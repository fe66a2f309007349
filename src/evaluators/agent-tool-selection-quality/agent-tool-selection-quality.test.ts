import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { testEmbeddedExamples } from '../../../tests/support/embedded-examples.ts'
import {
  type ScriptedAnswer,
  ScriptedJudge,
  silentJudge,
  verdictsBy,
} from '../../../tests/support/scripted-judge.ts'
import { NoVerdict } from '../../domain/no-verdict.ts'
import { agentToolSelectionQuality } from './agent-tool-selection-quality.ts'
import { askAboutChoice } from './ask-choice.ts'
import { findArgumentFault } from './check-arguments.ts'
import { judgeChoiceLocally } from './local-choice.ts'
import { readChoice } from './read-choice.ts'
import { findToolDefinitions } from './tool-definitions.ts'

testEmbeddedExamples(agentToolSelectionQuality)

const WEATHER = {
  name: 'get_weather',
  description: 'Get the weather of a city.',
  parameters: {
    type: 'object',
    properties: {
      city: { type: 'string' },
      days: { type: 'integer' },
      unit: { type: 'string', enum: ['c', 'f'] },
      places: { type: 'array', items: { type: 'number' } },
    },
    required: ['city'],
  },
}
const MAIL = {
  name: 'send_mail',
  description: 'Send an e-mail.',
  parameters: { type: 'object', properties: {} },
}

describe('tool definitions', () => {
  const expected = ['get_weather', 'send_mail']
  const listed = JSON.stringify([WEATHER, MAIL])
  const places: Record<string, Parameters<typeof findToolDefinitions>[0]> = {
    'in a system message': [{ role: 'system', content: `Available tools (JSON): ${listed}` }],
    'in a system message with words around them': [
      { role: 'system', content: `You are [kind].\nTools:\n${listed}\nBe brief [always].` },
    ],
    'in a tools field': [{ role: 'user', content: 'hi', tools: [WEATHER, MAIL] }],
    'in the form of OpenAI': [
      { role: 'user', tools: [WEATHER, MAIL].map((tool) => ({ type: 'function', function: tool })) },
    ],
    'in the form of Anthropic': [
      {
        role: 'user',
        tools: [WEATHER, MAIL].map(({ parameters, ...tool }) => ({ ...tool, input_schema: parameters })),
      },
    ],
  }
  for (const [place, messages] of Object.entries(places)) {
    test(`are found ${place}`, () => {
      const tools = findToolDefinitions(messages)
      assert.deepEqual(
        tools.map(({ name }) => name),
        expected,
      )
      assert.deepEqual(tools[0]?.parameters, WEATHER.parameters)
    })
  }

  test('of a user are no definitions: whoever is judged cannot bring tools along', () => {
    assert.deepEqual(
      findToolDefinitions([{ role: 'user', content: `Available tools (JSON): ${listed}` }]),
      [],
    )
  })

  test('that are broken are none', () => {
    assert.deepEqual(
      findToolDefinitions([{ role: 'system', content: 'Available tools (JSON): [{"name": ' }]),
      [],
    )
  })
})

describe('arguments against the definition', () => {
  const faults: readonly (readonly [args: object | string, fault: RegExp | undefined])[] = [
    [{ city: 'Oslo' }, undefined],
    [{ city: 'Oslo', days: 3, unit: 'c', places: [1, 2.5] }, undefined],
    [{}, /required argument city is missing/],
    [{ city: 4 }, /city must be of type string/],
    [{ city: 'Oslo', days: 1.5 }, /days must be of type integer/],
    [{ city: 'Oslo', days: '3' }, /days must be of type integer/],
    [{ city: 'Oslo', unit: 'k' }, /unit must be one of "c", "f"/],
    [{ city: 'Oslo', places: [1, 'x'] }, /places\[1\] must be of type number/],
    [{ city: 'Oslo', town: 'x' }, /no argument town/],
    ['Oslo', /no JSON object/],
  ]
  for (const [args, fault] of faults) {
    test(`${JSON.stringify(args)} ${fault ? 'is faulty' : 'is fine'}`, () => {
      const found = findArgumentFault(WEATHER, args)
      if (fault) assert.match(found ?? '', fault)
      else assert.equal(found, undefined)
    })
  }

  test('the names that Python has for types are known', () => {
    const tool = {
      name: 'f',
      parameters: {
        type: 'dict',
        properties: { a: { type: 'float' }, b: { type: 'dict' }, c: { type: 'any' } },
      },
    }
    assert.equal(findArgumentFault(tool, { a: 1, b: {}, c: [] }), undefined)
    assert.match(findArgumentFault(tool, { a: 'x' }) ?? '', /a must be of type number/)
  })
})

const SYSTEM = { role: 'system', content: `Available tools (JSON): ${JSON.stringify([WEATHER, MAIL])}` }
const choiceOf = (request: string, ...calls: { name: string; arguments: unknown }[]) =>
  readChoice(
    [SYSTEM, { role: 'user', content: request }],
    [{ role: 'assistant', content: calls.length === 0 ? 'I cannot do that.' : '', tool_calls: calls }],
  )
const ASKED = 'How is the weather in Oslo?'
const CALL = { name: 'get_weather', arguments: { city: 'Oslo' } }

describe('with a judge', () => {
  const judgeWith = (choice: ScriptedAnswer, args: ScriptedAnswer = verdictsBy(() => ['fits'])) =>
    new ScriptedJudge({
      'agent-tool-selection-quality/choice': choice,
      'agent-tool-selection-quality/arguments': args,
      'agent-tool-selection-quality/silence': choice,
    })
  const right = verdictsBy(() => ['right', 'the weather in Oslo'])

  test('a tool that does not exist is wrong, and nobody is asked', async () => {
    const answer = await askAboutChoice(choiceOf(ASKED, { name: 'get_sun', arguments: {} }), silentJudge())
    assert.deepEqual([answer.tool_selection, answer.correct_args], ['incorrect', false])
    assert.equal(answer.tool_selection_reason, 'There is no tool get_sun.')
  })

  test('arguments that the definition refuses are not asked about', async () => {
    const judge = judgeWith(right, () => assert.fail('asked'))
    const answer = await askAboutChoice(choiceOf(ASKED, { name: 'get_weather', arguments: {} }), judge)
    assert.deepEqual([answer.tool_selection, answer.correct_args], ['correct', false])
  })

  test('the right tool with the right arguments', async () => {
    const judge = judgeWith(right)
    const answer = await askAboutChoice(choiceOf(ASKED, CALL), judge)
    assert.deepEqual([answer.tool_selection, answer.correct_args], ['correct', true])
    assert.deepEqual(
      judge.asked[1]?.items.map(({ text }) => text),
      ['get_weather: city = "Oslo"'],
    )
  })

  test('a choice is right only with words that ask for it', async () => {
    const judge = judgeWith(verdictsBy(() => ['right', 'send a mail to Anna']))
    assert.equal((await askAboutChoice(choiceOf(ASKED, CALL), judge)).tool_selection, 'incorrect')
  })

  for (const verdict of ['wrong_tool', 'needless']) {
    test(`one call that is ${verdict} makes the choice wrong`, async () => {
      const judge = judgeWith(
        verdictsBy((text) => (text.startsWith('send') ? [verdict] : ['right', 'weather in Oslo'])),
      )
      const choice = choiceOf(ASKED, CALL, { name: 'send_mail', arguments: {} })
      assert.equal((await askAboutChoice(choice, judge)).tool_selection, 'incorrect')
    })
  }

  test('an argument that contradicts needs a quote, one that is made up does not', async () => {
    const correct = async (...given: [string, string?]) =>
      (
        await askAboutChoice(
          choiceOf(ASKED, CALL),
          judgeWith(
            right,
            verdictsBy(() => given),
          ),
        )
      ).correct_args
    assert.equal(await correct('contradicts', 'in Oslo'), false)
    assert.equal(await correct('contradicts', 'in Paris'), true)
    assert.equal(await correct('made_up'), false)
  })

  test('no call: right, or wrong with the words that ask for one', async () => {
    const chosen = async (...given: [string, string?]) =>
      (await askAboutChoice(choiceOf(ASKED), judgeWith(verdictsBy(() => given)))).tool_selection
    assert.equal(await chosen('right'), 'correct')
    assert.equal(await chosen('call_needed', 'How is the weather'), 'incorrect')
    assert.equal(await chosen('call_needed', 'Send a mail'), 'correct')
  })

  test('no verdict is let through', async () => {
    const judge = judgeWith(() => ({ items: [] }))
    await assert.rejects(askAboutChoice(choiceOf(ASKED, CALL), judge), (error) => error instanceof NoVerdict)
  })
})

describe('without a judge', () => {
  const chosen = (request: string, ...calls: { name: string; arguments: unknown }[]) => {
    const { tool_selection, correct_args } = judgeChoiceLocally(choiceOf(request, ...calls))
    return [tool_selection, correct_args]
  }

  test('the tool that fits is right, another one and none are not', () => {
    assert.deepEqual(chosen(ASKED, CALL), ['correct', true])
    assert.deepEqual(chosen(ASKED, { name: 'send_mail', arguments: {} }), ['incorrect', false])
    assert.deepEqual(chosen(ASKED), ['incorrect', false])
    assert.deepEqual(chosen('Who painted the Mona Lisa?'), ['correct', true])
  })

  test('placeholders, opposites and numbers that nobody named are wrong arguments', () => {
    const request = 'What will the weather in Oslo be for the next 3 days?'
    const args = (given: object) => chosen(request, { name: 'get_weather', arguments: given })[1]
    assert.equal(args({ city: 'Oslo', days: 3 }), true)
    assert.equal(args({ city: 'example' }), false)
    assert.equal(args({ city: 'not Oslo' }), false)
    const named = readChoice(
      [
        {
          role: 'user',
          content: 'Get the weather of the next 3 days in Oslo',
          tools: [{ name: 'get_weather' }],
        },
      ],
      [{ role: 'assistant', tool_calls: [{ name: 'get_weather', arguments: { days: 10 } }] }],
    )
    assert.equal(judgeChoiceLocally(named).correct_args, false)
  })

  test('a number in another unit is the same number', () => {
    const choice = readChoice(
      [{ role: 'user', content: 'Set the interest rate to 5%.', tools: [{ name: 'set_interest_rate' }] }],
      [{ role: 'assistant', tool_calls: [{ name: 'set_interest_rate', arguments: { rate: 0.05 } }] }],
    )
    assert.equal(judgeChoiceLocally(choice).correct_args, true)
  })

  test('without definitions the name of the tool has to do', () => {
    const choice = readChoice(
      [{ role: 'user', content: ASKED }],
      [{ role: 'assistant', tool_calls: [{ name: 'getWeather', arguments: { city: 'Oslo' } }] }],
    )
    assert.equal(judgeChoiceLocally(choice).tool_selection, 'correct')
  })
})
