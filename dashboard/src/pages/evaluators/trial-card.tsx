import { useMutation } from '@tanstack/react-query'
import { type KeyboardEvent, useState } from 'react'
import { ApiError } from '../../api/client.ts'
import { postLines } from '../../api/post-lines.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/page.tsx'
import { placeOfFault, type Run, type Tried, type Values } from './evaluator-call.ts'
import { InputForm } from './input-form.tsx'
import { createBodyOf, type JudgeDraft, schemaFieldOf } from './judge-draft.ts'
import { faultOf, faultWords } from './judge-faults.ts'
import { makeRun } from './make-run.ts'
import { RunResult } from './run-result.tsx'
import type { TrialLine } from './trial-types.ts'

/** Longest time that a trial of one row may take. */
const TRIAL_MS_MAX = 600_000
const NO_JSON: ReadonlySet<string> = new Set()

/** Runs the judge as it stands, saved or not. Nothing is stored but what it costs. */
export function TrialCard({ draft }: { draft: JudgeDraft }) {
  const [input, setInput] = useState<Values>({})
  const [tried, setTried] = useState<{ run: Run; draft: JudgeDraft }>()
  const fields = draft.inputs.filter(({ name }) => name.trim() !== '').map(schemaFieldOf)
  const running = useMutation({
    mutationFn: () => makeRun({ input: inputFor(draft, input), config: {} }, () => tryOut(draft, input)),
    onSuccess: (run) => setTried({ run: inWordsOfTheForm(run), draft }),
  })
  const runOnKey = (event: KeyboardEvent) => {
    // In a line of text Enter would else save the judge, whose form is all around.
    const isLine = event.target instanceof HTMLInputElement
    if (event.key !== 'Enter' || !(isLine || event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    if (!running.isPending) running.mutate()
  }
  const fault = placeOfFault(tried?.run.error?.message ?? '')
  return (
    <Card title="Try it before saving" className="judge-trial">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a shortcut; the button does the same. */}
      <div className="stack" onKeyDown={runOnKey}>
        <InputForm
          fields={fields}
          jsonInputs={NO_JSON}
          values={input}
          onChange={setInput}
          fault={fault?.part === 'input' ? fault : undefined}
        />
        <div className="row">
          <Button
            isBusy={running.isPending}
            onClick={() => running.mutate()}
            aria-keyshortcuts="Control+Enter Meta+Enter"
          >
            {running.isPending ? 'Running …' : 'Run'}
          </Button>
          <span className="quiet small">It asks {draft.model || 'the model'} once, at its price.</span>
        </div>
        <div aria-live="polite" aria-busy={running.isPending}>
          {tried ? <Outcome tried={tried} isCurrent={tried.draft === draft} /> : null}
        </div>
      </div>
    </Card>
  )
}

function Outcome({
  tried: { run, draft },
  isCurrent,
}: {
  tried: { run: Run; draft: JudgeDraft }
  isCurrent: boolean
}) {
  return (
    <div className="judge-outcome stack">
      {isCurrent ? null : <p className="quiet small">Result of the previous version.</p>}
      <RunResult run={run} fields={draft.outputs.map(schemaFieldOf)} />
    </div>
  )
}

/** A complaint about the judge itself names its part of the form. */
function inWordsOfTheForm(run: Run): Run {
  const { error } = run
  if (error?.status !== 400 || placeOfFault(error.message)) return run
  return { ...run, error: new ApiError(error.status, faultWords(faultOf(error.message))) }
}

/** One row of a trial: what was typed. A fault of the judge or its input is thrown, as the service tells it. */
async function tryOut(draft: JudgeDraft, input: Values): Promise<Tried> {
  const { slug: _, name, ...definition } = createBodyOf(draft)
  // A judge can be tried before it has a name.
  const candidates = [{ draft: { ...definition, name: name || 'Unnamed' } }]
  const body = { candidates, rows: [{ input: inputFor(draft, input) }] }
  const lines = postLines<TrialLine>('/v2/evaluators/trials', body, AbortSignal.timeout(TRIAL_MS_MAX))
  for await (const line of lines) {
    if (!('result' in line)) continue
    const { problem, output, duration_ms: took } = line.result
    if (output === undefined || took === undefined) throw new ApiError(statusOf(problem), problem ?? '')
    return { ...line.result, output, duration_ms: took }
  }
  throw new ApiError(0, 'The answer broke off. Try again.')
}

/** The advice that follows a problem depends on whether the input, the judge or its verdict is at fault. */
function statusOf(problem = ''): number {
  if (problem.startsWith('invalid input: ')) return 400
  return /configured|does not answer|turned the call/.test(problem) ? 503 : 502
}

/** Only what is an input now: what was typed for one that was removed stays in the form's memory only. */
function inputFor({ inputs }: JudgeDraft, values: Values): Record<string, unknown> {
  return Object.fromEntries(
    inputs.flatMap(({ name }) => (values[name] === undefined ? [] : [[name, values[name]]])),
  )
}
