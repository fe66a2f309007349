import { useMutation } from '@tanstack/react-query'
import { type KeyboardEvent, useState } from 'react'
import { api, ok } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code.tsx'
import { Card } from '../../ui/page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { ConfigForm } from '../setups/config-form.tsx'
import { curlOf, typeScriptOf } from './call-snippets.ts'
import {
  bodyOf,
  type Call,
  callOf,
  EMPTY_CALL,
  jsonInputs,
  placeOfFault,
  type Run,
} from './evaluator-call.ts'
import type { EvaluatorDetail, Example } from './evaluator-types.ts'
import { InputForm } from './input-form.tsx'
import { makeRun } from './make-run.ts'
import { RecentRuns } from './recent-runs.tsx'
import { RunResult } from './run-result.tsx'

const RUNS_KEPT_MAX = 6

/** A call of an evaluator: filled in or taken from an example, made, and shown as code. */
export function Playground({ evaluator }: { evaluator: EvaluatorDetail }) {
  const { slug, examples = [], output_schema: outputs } = evaluator
  const [call, setCall] = useState<Call>(examples[0] ? callOf(examples[0]) : EMPTY_CALL)
  const [runs, setRuns] = useState<readonly Run[]>([])
  const [shown, setShown] = useState<Run>()
  const running = useMutation({
    mutationFn: (made: Call) => makeRun(made, () => execute(slug, made)),
    onSuccess: (run) => {
      setShown(run)
      setRuns((all) => [run, ...all].slice(0, RUNS_KEPT_MAX))
    },
  })
  const goBackTo = (run: Run) => {
    setCall(run.call)
    setShown(run)
  }
  return (
    <>
      <div className="evaluator-playground">
        <Card title="Try it">
          <CallForm
            evaluator={evaluator}
            call={call}
            onChange={setCall}
            onRun={() => running.mutate(call)}
            isBusy={running.isPending}
            message={shown?.call === call ? shown.error?.message : undefined}
          />
        </Card>
        <Card title="Result" className="evaluator-result">
          <div aria-live="polite" aria-busy={running.isPending}>
            {shown ? (
              <>
                {shown.call === call ? null : <p className="quiet small">Result of the previous input.</p>}
                <RunResult run={shown} fields={outputs} />
              </>
            ) : (
              <p className="quiet">{`Not run yet. Outputs: ${outputs.map(({ label }) => label).join(', ')}.`}</p>
            )}
          </div>
          <RecentRuns runs={runs} shown={shown} fields={outputs} onShow={goBackTo} />
        </Card>
      </div>
      <Snippets slug={slug} call={call} />
    </>
  )
}

function execute(slug: string, call: Call) {
  const params = { path: { evaluator: slug } }
  return ok(api.POST('/v2/evaluators/{evaluator}/try', { params, body: bodyOf(call) }))
}

interface CallFormProps {
  readonly evaluator: EvaluatorDetail
  readonly call: Call
  readonly onChange: (call: Call) => void
  readonly onRun: () => void
  readonly isBusy: boolean
  /** The message of the service about this very call. */
  readonly message: string | undefined
}

function CallForm({ evaluator, call, onChange, onRun, isBusy, message }: CallFormProps) {
  const { examples = [], input_schema: inputs, config_schema: settings } = evaluator
  const fault = placeOfFault(message ?? '')
  const runOnKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || isBusy) return
    event.preventDefault()
    onRun()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a shortcut; the button does the same.
    <div className="stack" onKeyDown={runOnKey}>
      <Examples examples={examples} onChoose={(example) => onChange(callOf(example))} />
      <InputForm
        fields={inputs}
        jsonInputs={jsonInputs(examples)}
        values={call.input}
        onChange={(input) => onChange({ ...call, input })}
        fault={fault?.part === 'input' ? fault : undefined}
      />
      {settings ? (
        <details open={Object.keys(call.config).length > 0 || fault?.part === 'config' || undefined}>
          <summary>Settings</summary>
          <div className="stack evaluator-settings">
            <ConfigForm
              schema={settings}
              config={call.config}
              onChange={(config) => onChange({ ...call, config })}
              fault={fault?.part === 'config' ? fault : undefined}
            />
          </div>
        </details>
      ) : null}
      <div className="row">
        <Button
          variant="primary"
          isBusy={isBusy}
          onClick={onRun}
          aria-keyshortcuts="Control+Enter Meta+Enter"
        >
          {isBusy ? 'Running …' : 'Run'}
        </Button>
        <span className="quiet small">
          <kbd>Ctrl</kbd> or <kbd>⌘</kbd> + <kbd>Enter</kbd>
        </span>
      </div>
    </div>
  )
}

function Examples({
  examples,
  onChoose,
}: {
  examples: readonly Example[]
  onChoose: (example: Example) => void
}) {
  if (examples.length === 0) return null
  return (
    <fieldset className="evaluator-examples">
      <legend>Examples</legend>
      <div className="row">
        {examples.map((example) => (
          <Button key={example.name} onClick={() => onChoose(example)}>
            {capitalised(example.name)}
          </Button>
        ))}
      </div>
    </fieldset>
  )
}

const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

function Snippets({ slug, call }: { slug: string; call: Call }) {
  const [language, setLanguage] = useState('curl')
  return (
    <Card title="Call it from your code">
      <Tabs
        label="Language"
        selected={language}
        onSelect={setLanguage}
        tabs={[
          {
            id: 'curl',
            title: 'curl',
            content: <CodeBlock label="Shell" text={curlOf(slug, call, location.origin)} />,
          },
          {
            id: 'typescript',
            title: 'TypeScript',
            content: <CodeBlock label="TypeScript" text={typeScriptOf(slug, call, location.origin)} />,
          },
        ]}
      />
    </Card>
  )
}
