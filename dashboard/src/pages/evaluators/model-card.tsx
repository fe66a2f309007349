import { Field, Select, TextArea, TextInput } from '../../ui/field.tsx'
import { Card } from '../../ui/page.tsx'
import { NumberInput } from '../setups/number-input.tsx'
import { useJudges } from './evaluator-queries.ts'
import { type JudgeDraft, PROVIDERS, type Sampling } from './judge-draft.ts'
import { type JudgeFault, messageAt } from './judge-faults.ts'

interface ModelCardProps {
  readonly draft: JudgeDraft
  readonly onChange: (draft: JudgeDraft) => void
  readonly fault: JudgeFault | undefined
}

/** Which model judges, and how it is called. */
export function ModelCard({ draft, onChange, fault }: ModelCardProps) {
  const usable = useJudges().data?.providers.map(({ provider }) => provider)
  const hasKey = usable === undefined || usable.includes(draft.provider)
  return (
    <Card title="Model">
      <div className="judge-pair">
        <Field
          label="Provider"
          hint={
            hasKey
              ? undefined
              : 'No key for this provider yet. You can save the judge, but not run it. Store a key under Settings.'
          }
          error={messageAt(fault, 'provider')}
        >
          {(ids) => (
            <Select
              {...ids}
              options={PROVIDERS}
              value={draft.provider}
              onChange={({ target }) => onChange({ ...draft, provider: target.value })}
            />
          )}
        </Field>
        <Field label="Model" hint="As the provider names it." error={messageAt(fault, 'model')}>
          {(ids) => (
            <TextInput
              {...ids}
              className="mono"
              required
              value={draft.model}
              onChange={({ target }) => onChange({ ...draft, model: target.value })}
            />
          )}
        </Field>
      </div>
      <details open={SETTINGS.some(({ name }) => messageAt(fault, name)) || undefined}>
        <summary>{`Model parameters${summaryOf(draft.sampling)}`}</summary>
        <SamplingForm
          sampling={draft.sampling}
          onChange={(sampling) => onChange({ ...draft, sampling })}
          fault={fault}
        />
      </details>
    </Card>
  )
}

const SETTINGS = [
  {
    name: 'temperature',
    label: 'Temperature',
    hint: '0 to 2. Higher is more varied; 0 suits a judge.',
    min: 0,
    max: 2,
  },
  {
    name: 'top_p',
    label: 'Top p',
    hint: '0 to 1. Sample only from the likeliest tokens up to this share.',
    min: 0,
    max: 1,
  },
  {
    name: 'frequency_penalty',
    label: 'Frequency penalty',
    hint: '-2 to 2. Discourages repetition.',
    min: -2,
    max: 2,
  },
  {
    name: 'presence_penalty',
    label: 'Presence penalty',
    hint: '-2 to 2. Encourages new topics.',
    min: -2,
    max: 2,
  },
  {
    name: 'max_tokens',
    label: 'Maximum tokens',
    hint: 'An answer that is cut off gives no score.',
    min: 1,
  },
] as const

function summaryOf({ stopText, ...numbers }: Sampling): string {
  const count = Object.keys(numbers).length + (stopText.trim() === '' ? 0 : 1)
  return count === 0 ? ' (provider defaults)' : ` (${count} set)`
}

interface SamplingFormProps {
  readonly sampling: Sampling
  readonly onChange: (sampling: Sampling) => void
  readonly fault: JudgeFault | undefined
}

function SamplingForm({ sampling, onChange, fault }: SamplingFormProps) {
  const change = (name: (typeof SETTINGS)[number]['name'], value: number | undefined) => {
    const { [name]: _, ...rest } = sampling
    onChange(value === undefined ? rest : { ...rest, [name]: value })
  }
  return (
    <div className="judge-sampling">
      {SETTINGS.map(({ name, label, hint, ...bounds }) => (
        <Field key={name} label={label} hint={hint} error={messageAt(fault, name)}>
          {(ids) => (
            <NumberInput
              {...ids}
              {...bounds}
              value={sampling[name]}
              onChange={(value) => change(name, value)}
            />
          )}
        </Field>
      ))}
      <Field
        label="Stop sequences"
        hint="Texts that end the answer, one per line."
        error={messageAt(fault, 'stop')}
      >
        {(ids) => (
          <TextArea
            {...ids}
            rows={2}
            value={sampling.stopText}
            onChange={({ target }) => onChange({ ...sampling, stopText: target.value })}
          />
        )}
      </Field>
    </div>
  )
}
