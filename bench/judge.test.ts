import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { startFakeModel } from '../src/cli/fake-judge/fake-model-server.ts'
import { startService } from '../tests/support/service.ts'
import { assess, JudgeStage } from './judge-answers.ts'
import { JUDGE_CASES } from './judge-cases.ts'
import type { Contestant } from './judge-contestant.ts'
import { prepareOurs } from './judge-ours.ts'

const stage = new JudgeStage()
const model = await startFakeModel({ answer: stage.answer })
after(() => model.close())
const service = await startService({
  ASSAY_JUDGE_BASE_URL: `${model.url}/relevancy/v1`,
  OPENAI_BASE_URL: `${model.url}/score/v1`,
  ASSAY_JUDGE_MS_MAX: '12000',
})
const ours = await prepareOurs(service.url)

describe('our judges give no score that nobody gave', () => {
  for (const [at, played] of JUDGE_CASES.entries()) {
    test(`when the model answers with ${played.name}`, async () => {
      for (const judge of ours) {
        const { verdict, shown } = await stage.play(played, at, judge)
        assert.notEqual(verdict, 'wrong', `${judge.title}: ${shown}`)
        if (at === 0) assert.equal(verdict, 'right', `${judge.title}: ${shown}`)
      }
    })
  }
})

/** A judge as they are often written: the first JSON object of whatever comes, its score or 0. */
const careless: Contestant = {
  name: 'promptfoo',
  title: 'careless',
  async judge(answer) {
    const response = await fetch(`${model.url}/promptfoo/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({
        messages: [{ role: 'user', content: `Judge this.\n<Output>\n${answer}\n</Output>` }],
      }),
      signal: AbortSignal.timeout(10_000),
    }).catch(() => undefined)
    const text = response?.ok ? await response.text() : '{}'
    const said = text.startsWith('{') ? JSON.parse(text).choices?.[0]?.message.content : ''
    const verdict = /\{[^{}]*\}/.exec(said ?? '')?.[0] ?? '{}'
    return { score: Number(/"score":"?([\d.]+)/.exec(verdict)?.[1] ?? 0) }
  },
}

test('a careless judge is found out wherever it can be', async () => {
  const wrong: string[] = []
  for (const [at, played] of JUDGE_CASES.entries()) {
    const { verdict } = await stage.play(played, at, careless)
    if (verdict === 'wrong') wrong.push(played.name)
  }
  const wellDone = ['a right answer', 'a quoted number', 'prose around it']
  assert.deepEqual(
    wrong,
    JUDGE_CASES.map(({ name }) => name).filter((name) => !wellDone.includes(name)),
  )
})

test('a score counts as right only when it is what was meant', () => {
  assert.equal(assess({ score: 0.8 }, 0.8).verdict, 'right')
  assert.equal(assess({ score: 0.1 }, 0.8).verdict, 'wrong')
  assert.equal(assess({ score: Number.NaN }, 0.8).verdict, 'wrong')
  assert.equal(assess({ score: 0 }, undefined).verdict, 'wrong')
  assert.equal(assess({ abstained: '502' }, undefined).verdict, 'abstained')
})
