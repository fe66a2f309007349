import { useState } from 'react'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Field, Select } from '../../ui/field.tsx'
import { ConfigForm } from './config-form.tsx'
import { inputsToMap, METHODS, SCOPE_WORDS } from './evaluator-words.ts'
import { MappingForm } from './mapping-form.tsx'
import { NumberInput } from './number-input.tsx'
import type { Evaluator, Override, Scope } from './setup-definition.ts'
import { withoutDefaults } from './setup-draft.ts'
import type { Fault } from './setup-faults.ts'

interface ChosenEvaluatorProps {
  readonly override: Override
  /** Undefined when the catalogue does not have it, or not yet. */
  readonly evaluator: Evaluator | undefined
  readonly fault: Fault | undefined
  readonly onChange: (override: Override) => void
  readonly onRemove: () => void
}

/** One evaluator of the setup, and in a disclosure what the setup changes about it. */
export function ChosenEvaluator({ override, evaluator, fault, onChange, onRemove }: ChosenEvaluatorProps) {
  const unmapped = inputsToMap(evaluator).filter((input) => override.mapping?.[input] === undefined)
  const changes = changesOf(override)
  return (
    <li className="setup-chosen" data-fault={fault ? '' : undefined}>
      <div className="setup-chosen-head">
        <div>
          <div className="row">
            <strong>{evaluator?.name ?? override.slug}</strong>
            {evaluator ? <Badge>{METHODS[evaluator.method].label}</Badge> : null}
            {changes.map((change) => (
              <Badge key={change} tone="accent">
                {change}
              </Badge>
            ))}
          </div>
          <p className="quiet small">{evaluator?.description ?? 'This evaluator does not exist.'}</p>
        </div>
        <Button variant="quiet" onClick={onRemove} aria-label={`Remove ${override.slug}`}>
          ✕
        </Button>
      </div>
      {unmapped.length > 0 ? (
        <p className="setup-warning small">Spans do not have {unmapped.join(' and ')}: map it below.</p>
      ) : null}
      {fault && !namedFault(fault, 'config') && !namedFault(fault, 'mapping') ? (
        <p className="field-error small" role="alert">
          {fault.message}
        </p>
      ) : null}
      {evaluator ? (
        <Settings
          override={override}
          evaluator={evaluator}
          fault={fault}
          onChange={(next) => onChange(withoutDefaults(next))}
        />
      ) : null}
    </li>
  )
}

type SettingsProps = Pick<ChosenEvaluatorProps, 'override' | 'fault' | 'onChange'> & {
  readonly evaluator: Evaluator
}

function Settings({ override, evaluator, fault, onChange }: SettingsProps) {
  const [isOpen, setOpen] = useState(needsAnswers(evaluator, override))
  // A setting that the service complains about is not hidden.
  const isFaulty = fault?.place.kind === 'evaluator' && fault.place.part !== undefined
  return (
    <details
      className="setup-settings"
      open={isOpen || isFaulty}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>Settings</summary>
      <div className="setup-settings-body">
        <Field
          label="Sampling rate (%)"
          hint="The share of matching spans to evaluate. The choice is stable. Empty: all."
        >
          {(ids) => (
            <NumberInput
              {...ids}
              min={0}
              max={100}
              placeholder="100"
              value={override.sampling_rate === undefined ? undefined : percentOf(override.sampling_rate)}
              onChange={(percent) => onChange(withRate(override, percent))}
            />
          )}
        </Field>
        <Threshold override={override} evaluator={evaluator} onChange={onChange} />
        <Field label="Evaluate" hint={scopeHint(evaluator)}>
          {(ids) => (
            <Select
              {...ids}
              value={override.scope ?? ''}
              options={[
                { value: '', label: 'Default' },
                ...Object.entries(SCOPE_WORDS).map(([value, label]) => ({ value, label })),
              ]}
              onChange={(event) => onChange(withScope(override, event.target.value))}
            />
          )}
        </Field>
        <ConfigForm
          schema={evaluator.config_schema}
          config={override.config ?? {}}
          onChange={(config) => onChange({ ...override, config })}
          fault={namedFault(fault, 'config')}
        />
      </div>
      <details className="setup-settings" open={inputsToMap(evaluator).length > 0}>
        <summary>Input mapping</summary>
        <div className="setup-settings-body">
          <MappingForm
            evaluator={evaluator}
            mapping={override.mapping ?? {}}
            onChange={(mapping) => onChange({ ...override, mapping })}
            fault={namedFault(fault, 'mapping')}
          />
        </div>
      </details>
    </details>
  )
}

/** The line from which on an answer passes; nothing for an evaluator that has none. */
function Threshold({
  override,
  evaluator: { verdict, output_schema },
  onChange,
}: Omit<SettingsProps, 'fault'>) {
  const { threshold_property: property, threshold, rule } = verdict
  if (property === undefined) return null
  const name = output_schema.find((field) => field.name === property)?.label ?? property
  return (
    <Field
      label="Verdict threshold"
      hint={`The value of ${name} that decides the verdict. Scores stay the same. Empty: ${rule}.`}
    >
      {(ids) => (
        <NumberInput
          {...ids}
          placeholder={threshold === undefined ? 'Default' : String(threshold)}
          value={override.verdict_threshold}
          onChange={(value) => onChange(withThreshold(override, value))}
        />
      )}
    </Field>
  )
}

/** Whether it cannot start before something is said about it. */
function needsAnswers(evaluator: Evaluator, { mapping, config }: Override): boolean {
  const required = (evaluator.config_schema?.['required'] ?? []) as readonly string[]
  return (
    inputsToMap(evaluator).some((input) => !mapping?.[input]) ||
    required.some((name) => config?.[name] === undefined)
  )
}

// Without the dust of binary fractions: 0.07 is 7 %.
const percentOf = (rate: number) => Number((rate * 100).toPrecision(10))

function withRate({ sampling_rate: _, ...rest }: Override, percent: number | undefined): Override {
  return percent === undefined ? rest : { ...rest, sampling_rate: Number((percent / 100).toPrecision(10)) }
}

function withThreshold({ verdict_threshold: _, ...rest }: Override, threshold: number | undefined): Override {
  return threshold === undefined ? rest : { ...rest, verdict_threshold: threshold }
}

function withScope({ scope: _, ...rest }: Override, scope: string): Override {
  return scope === '' ? rest : { ...rest, scope: scope as Scope }
}

function scopeHint({ default_scope }: Evaluator): string {
  return default_scope ? `By default: ${SCOPE_WORDS[default_scope].toLowerCase()}.` : 'By default: each span.'
}

function changesOf({
  sampling_rate,
  scope,
  config,
  mapping,
  verdict_threshold: threshold,
}: Override): string[] {
  return [
    ...(sampling_rate === undefined ? [] : [`${percentOf(sampling_rate)}%`]),
    ...(threshold === undefined ? [] : [`Threshold ${threshold}`]),
    ...(scope ? [SCOPE_WORDS[scope]] : []),
    ...(config ? ['Custom settings'] : []),
    ...(mapping ? ['Custom mapping'] : []),
  ]
}

/** `config.threshold` is a fault of the setting `threshold`. */
function namedFault(fault: Fault | undefined, part: 'config' | 'mapping') {
  if (fault?.place.kind !== 'evaluator') return undefined
  const [first, name] = fault.place.part?.split('.') ?? []
  return first === part && name ? { name, message: fault.message } : undefined
}
