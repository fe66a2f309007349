import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { GPT_4O, patient, QUESTION, startDesk } from '../../../tests/support/judge-desk.ts'
import { rejectsWith } from '../../../tests/support/no-verdict.ts'
import { findPii } from '../../evaluators/pii-detector/find-pii.ts'
import { hasSecret } from '../../evaluators/secrets-detector/detect-secrets.ts'
import type { JudgeQuestion } from '../../ports/judge.ts'
import { guardJudge, protectQuestion } from './privacy-gate.ts'

// Put together here so that scanners of this repository do not take the made-up password for a real one.
const PASSWORD = `${'Tr0mb'}one-42!`
const PRIVATE = `My name is Marta Kowalczyk, write to marta.k@example.com or call +48 601 234 567.
The password for the staging box is ${PASSWORD}
Marta Kowalczyk lives in Lisbon.`
const HIDDEN = ['Kowalczyk', 'marta.k@example.com', '601 234 567', PASSWORD]

describe('the privacy gate', () => {
  test('lets nothing private leave, puts it back into the answer and counts it', async () => {
    const { desk, model, payer } = await startDesk({}, { answer: quoteAll })
    const session = desk.open(payer, GPT_4O, patient())
    const answer = await guardJudge(session, 'on').ask(questionAbout(PRIVATE))
    assert.equal(answer.quote, PRIVATE)
    const sent = JSON.stringify(model.requests)
    for (const value of HIDDEN) assert.ok(!sent.includes(value), value)
    assert.match(sent, /\[EMAIL_1\]/)
    const { email, phone, secret, person = 0 } = session.judgement.replaced ?? {}
    assert.deepEqual([email, phone, secret], [1, 1, 1])
    assert.ok(person >= 2)
  })

  test('keeps nothing private in the cache', async () => {
    const written: unknown[] = []
    const { again, payer, storage } = await startDesk({}, { answer: quoteAll })
    const desk = again({
      ledger: {
        ...storage.ledger,
        async recordCalls(...calls) {
          written.push(calls)
        },
      },
    })
    await guardJudge(desk.open(payer, GPT_4O, patient()), 'on').ask(questionAbout(PRIVATE))
    await desk.close()
    assert.match(JSON.stringify(written), /\[EMAIL_1\]/)
    for (const value of HIDDEN) assert.ok(!JSON.stringify(written).includes(value), value)
  })

  test('asks nobody when it is closed, and says of which kinds it was', async () => {
    const { desk, model, payer } = await startDesk()
    const judge = guardJudge(desk.open(payer, GPT_4O, patient()), 'fail_closed')
    const error = await rejectsWith(judge.ask(questionAbout(PRIVATE)), 'abstained', /email.*fail_closed/)
    for (const value of HIDDEN) assert.ok(!error.message.includes(value))
    await rejectsWith(judge.generate('Write to marta.k@example.com'), 'abstained')
    assert.equal(model.requests.length, 0)
    await judge.ask(questionAbout('The museum opens at ten.'))
    assert.equal(model.requests.length, 1)
  })

  test('is not there when it is off', async () => {
    const { desk, model, payer } = await startDesk()
    const session = desk.open(payer, GPT_4O, patient())
    await guardJudge(session, 'off').ask(questionAbout(PRIVATE))
    assert.ok(JSON.stringify(model.requests).includes('marta.k@example.com'))
    assert.equal(session.judgement.replaced, undefined)
  })

  test('works for generated texts too', async () => {
    const { desk, model, payer } = await startDesk()
    model.script({ content: 'Dear [EMAIL_1]', logprobs: [-1] })
    const session = desk.open(payer, GPT_4O, patient())
    const generated = await guardJudge(session, 'on').generate('Write to marta.k@example.com')
    assert.deepEqual(generated, { text: 'Dear marta.k@example.com', logprobs: [-1] })
    assert.deepEqual(model.requests[0]?.messages, [{ role: 'user', content: 'Write to [EMAIL_1]' }])
    assert.deepEqual(session.judgement.replaced, { email: 1 })
  })
})

describe('a protected question', () => {
  test('holds nothing that the detectors would find', async () => {
    const { question } = await protectQuestion(questionAbout(PRIVATE))
    for (const text of dataOf(question)) {
      assert.equal(hasSecret(text), false)
      assert.deepEqual(
        findPii(text).filter(({ confidence }) => confidence >= 0.8),
        [],
      )
    }
  })

  test('names the same value by the same token everywhere, and other values by others', async () => {
    const { question } = await protectQuestion({
      ...QUESTION,
      messages: [
        { role: 'user', parts: [data('a@example.com b@example.com'), data('b@example.com c@example.com')] },
      ],
    })
    assert.deepEqual(dataOf(question), ['[EMAIL_1] [EMAIL_2]', '[EMAIL_2] [EMAIL_3]'])
  })

  test('hides a value everywhere once it is known to be private', async () => {
    const { question, replaced, restore } = await protectQuestion({
      ...QUESTION,
      messages: [
        { role: 'user', parts: [data(`account: ${PASSWORD} (x${PASSWORD}x)`), data(`password=${PASSWORD}`)] },
      ],
    })
    const [first = '', second = ''] = dataOf(question)
    assert.match(first, /^account: \[SECRET_\d\]/)
    assert.ok(!second.includes(PASSWORD))
    // Within another word it is not that value.
    assert.ok(first.includes(`x${PASSWORD}x`))
    assert.deepEqual(replaced, { secret: 2 })
    assert.equal(restore(first), `account: ${PASSWORD} (x${PASSWORD}x)`)
  })

  test('takes no token that the text has already, so that it is not put back wrongly', async () => {
    const text = 'See [EMAIL_1] and a@example.com'
    const { question, restore } = await protectQuestion(questionAbout(text))
    assert.deepEqual(dataOf(question), ['See [EMAIL_1] and [EMAIL_2]'])
    assert.deepEqual(restore({ quotes: ['[EMAIL_1]', 'x [EMAIL_2] y'], n: 1, b: null }), {
      quotes: ['[EMAIL_1]', 'x a@example.com y'],
      n: 1,
      b: null,
    })
  })

  test('is the same question each time, so that it is found in the cache', async () => {
    const [first, second] = await Promise.all([1, 2].map(() => protectQuestion(questionAbout(PRIVATE))))
    assert.deepEqual(first?.question, second?.question)
  })

  test('keeps the instructions as they are', async () => {
    const asked: JudgeQuestion = {
      ...QUESTION,
      messages: [{ role: 'system', parts: ['Ask help@example.com', data('x')] }],
    }
    const { question, replaced } = await protectQuestion(asked)
    assert.deepEqual(question, asked)
    assert.deepEqual(replaced, {})
  })
})

/** A judge that quotes all that it is shown. */
function quoteAll({ messages }: { messages: readonly { content: string }[] }) {
  const data = /label="answer">\n([\s\S]*)\n<\/data-/.exec(messages.at(-1)?.content ?? '')?.[1] ?? ''
  return { content: { verdict: 'yes', quote: data, certainty: 1 } }
}

function questionAbout(text: string) {
  return { ...QUESTION, messages: [{ role: 'user', parts: ['Judge ', data(text)] }] } as const
}

function data(text: string) {
  return { label: 'answer', data: text }
}

function dataOf(question: JudgeQuestion): string[] {
  return question.messages
    .flatMap(({ parts }) => parts)
    .flatMap((part) => (typeof part === 'string' ? [] : [part.data]))
}
