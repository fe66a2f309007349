// npm run bench:judge [-- --calls N] [-- --ours]: the same scripted answers of a model, most of them bad, through our
// judges and those of others, and what a judge call costs beyond the request itself. --ours leaves the others out.

import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { startFakeModel } from '../src/cli/fake-judge/fake-model-server.ts'
import { FIRST_KEY } from '../tests/support/call.ts'
import { spawnService } from '../tests/support/process.ts'
import { blockOtherHosts } from './block-other-hosts.ts'
import { type CaseResult, JudgeStage, type Verdict } from './judge-answers.ts'
import { JUDGE_CASES } from './judge-cases.ts'
import { type Contestant, EVALUATION_MS_MAX, MODEL } from './judge-contestant.ts'
import type { JudgeName } from './judge-forms.ts'
import { prepareOurs } from './judge-ours.ts'
import { measureOverhead } from './judge-overhead.ts'
import { loadJudgePeers } from './judge-peers.ts'
import { describeRun, wholeNumber } from './run-report.ts'

const OPTIONS = {
  calls: { type: 'string', default: '400' },
  ours: { type: 'boolean', default: false },
} as const

const { values } = parseArgs({ options: OPTIONS })
const calls = wholeNumber('calls', values.calls, 1)
const tried = blockOtherHosts()
const directory = mkdtempSync(path.join(os.tmpdir(), 'assay-bench-'))
try {
  describeRun([])
  const requests = await showAnswers()
  await showOverhead(requests)
  if (tried.size > 0) console.log(`\nBlocked on the way to other hosts: ${[...tried].join(', ')}`)
} finally {
  rmSync(directory, { recursive: true, force: true })
}
// Some of the packages keep timers and connections.
process.exit(process.exitCode ?? 0)

/** Every case through every judge; tells how each of them asks. */
async function showAnswers(): Promise<JudgeStage['lastRequest']> {
  const stage = new JudgeStage()
  const model = await startFakeModel({ answer: stage.answer })
  const { contestants, close } = await startContestants(model.url, 'answers')
  try {
    const rows: { name: string; results: CaseResult[] }[] = []
    for (const [at, played] of JUDGE_CASES.entries()) {
      const results: CaseResult[] = []
      for (const contestant of contestants) results.push(await stage.play(played, at, contestant))
      rows.push({ name: played.name, results })
      if (at === 0) requireRight(contestants, results)
    }
    printAnswers(contestants, rows)
    return stage.lastRequest
  } finally {
    await close()
    await model.close()
  }
}

async function showOverhead(requests: JudgeStage['lastRequest']): Promise<void> {
  const lines = await measureOverhead({
    calls,
    requests,
    dataDir: path.join(directory, 'desk'),
    startContestants: (modelUrl) => startContestants(modelUrl, 'overhead'),
  })
  console.log(`\n${lines.join('\n')}`)
}

async function startContestants(modelUrl: string, name: string) {
  const baseUrlOf = (judge: JudgeName) => `${modelUrl}/${judge}/v1`
  const service = await spawnService({
    ASSAY_DATA_DIR: path.join(directory, name),
    ASSAY_API_KEY: FIRST_KEY,
    // The built-in judge and evaluators of users are told apart by these two.
    ASSAY_JUDGE_BASE_URL: baseUrlOf('relevancy'),
    ASSAY_JUDGE_MODEL: MODEL,
    OPENAI_BASE_URL: baseUrlOf('score'),
    ASSAY_JUDGE_MS_MAX: String(EVALUATION_MS_MAX),
    ASSAY_LOG_LEVEL: 'fatal',
  })
  const peers = values.ours ? [] : await loadJudgePeers(baseUrlOf, path.join(directory, 'promptfoo'))
  const contestants = [...(await prepareOurs(service.url)), ...peers]
  return {
    serviceUrl: service.url,
    contestants,
    async close() {
      await service.end('SIGTERM')
    },
  }
}

/** A judge that cannot be reached would abstain everywhere and look good. */
function requireRight(contestants: readonly Contestant[], results: readonly CaseResult[]): void {
  for (const [at, { verdict, shown }] of results.entries()) {
    if (verdict === 'right') continue
    throw new Error(
      `${contestants[at]?.title} answered ${shown} where everything was right: it is set up badly`,
    )
  }
}

function printAnswers(
  contestants: readonly Contestant[],
  rows: readonly { name: string; results: readonly CaseResult[] }[],
): void {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  console.log(line(['the model answers with', ...contestants.map(({ title }) => title)]))
  console.log(line(['---', ...contestants.map(() => '---')]))
  for (const { name, results } of rows) console.log(line([name, ...results.map(renderCell)]))
  const totals = (verdict: Verdict) =>
    contestants.map((_, at) => String(rows.filter(({ results }) => results[at]?.verdict === verdict).length))
  for (const verdict of ['right', 'abstained', 'wrong'] as const)
    console.log(line([`**${verdict}**`, ...totals(verdict).map((count) => `**${count}**`)]))
}

function renderCell({ verdict, shown, seconds, requests }: CaseResult): string {
  const word = verdict === 'wrong' ? '**wrong**' : verdict
  const effort = seconds >= 1 ? `, ${seconds.toFixed(1)} s` : ''
  return `${word} (${shown}${effort}${requests > 1 ? `, ${requests} requests` : ''})`
}
