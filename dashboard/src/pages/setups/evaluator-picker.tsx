import { useState } from 'react'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { EmptyState } from '../../ui/feedback.tsx'
import { Field, Select, TextInput } from '../../ui/field.tsx'
import { inputsToMap, METHODS, type Method } from './evaluator-words.ts'
import type { Evaluator } from './setup-definition.ts'

interface EvaluatorPickerProps {
  readonly catalogue: readonly Evaluator[]
  readonly chosen: ReadonlySet<string>
  readonly onToggle: (slug: string) => void
  readonly isOpen: boolean
  readonly onClose: () => void
}

const METHOD_OPTIONS = [
  { value: '', label: 'All kinds' },
  ...Object.entries(METHODS).map(([value, { label }]) => ({ value, label })),
]

/** The catalogue: what each evaluator says, how it decides and what it needs. */
export function EvaluatorPicker({ catalogue, chosen, onToggle, isOpen, onClose }: EvaluatorPickerProps) {
  const [text, setText] = useState('')
  const [method, setMethod] = useState<Method | ''>('')
  const found = catalogue.filter(
    (evaluator) => (!method || evaluator.method === method) && mentions(evaluator, text),
  )
  return (
    <Dialog title="Choose evaluators" isOpen={isOpen} onClose={onClose} placement="side">
      <div className="setup-picker-search">
        <Field label="Search">
          {(ids) => (
            <TextInput
              {...ids}
              type="search"
              autoFocus
              placeholder="faithfulness, personal data, JSON …"
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          )}
        </Field>
        <Field label="Kind">
          {(ids) => (
            <Select
              {...ids}
              value={method}
              options={METHOD_OPTIONS}
              onChange={(event) => setMethod(event.target.value as Method | '')}
            />
          )}
        </Field>
      </div>
      <p className="quiet small" role="status">
        {method ? `${METHODS[method].meaning} ` : ''}
        {found.length} {found.length === 1 ? 'evaluator' : 'evaluators'}, {chosen.size} chosen.
      </p>
      {found.length === 0 ? (
        <EmptyState title="No evaluators match this filter" icon="evaluators">
          Try another word, or write one of your own under Evaluators.
        </EmptyState>
      ) : (
        <ul className="setup-catalogue">
          {found.map((evaluator) => (
            <Choice
              key={evaluator.slug}
              evaluator={evaluator}
              isChosen={chosen.has(evaluator.slug)}
              onToggle={() => onToggle(evaluator.slug)}
            />
          ))}
        </ul>
      )}
      <div className="setup-picker-foot">
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  )
}

function Choice({
  evaluator,
  isChosen,
  onToggle,
}: {
  evaluator: Evaluator
  isChosen: boolean
  onToggle: () => void
}) {
  const unmapped = inputsToMap(evaluator)
  return (
    <li>
      <label className="setup-choice">
        <input type="checkbox" checked={isChosen} onChange={onToggle} />
        <span className="setup-choice-text">
          <span className="row">
            <strong>{evaluator.name}</strong>
            <span className="mono quiet">{evaluator.slug}</span>
          </span>
          <span>{evaluator.description}</span>
          <span className="quiet small">
            Needs {evaluator.input_schema.map(({ name }) => name).join(', ')}
          </span>
          <span className="row">
            <Badge tone={evaluator.method === 'judge' ? 'accent' : 'neutral'}>
              {METHODS[evaluator.method].label}
            </Badge>
            {evaluator.source === 'custom' ? <Badge>Your own</Badge> : null}
            {evaluator.default_scope && evaluator.default_scope !== 'span' ? (
              <Badge>Evaluates whole traces</Badge>
            ) : null}
            {unmapped.length > 0 ? (
              <Badge tone="warn">{`Needs a mapping for ${unmapped.join(', ')}`}</Badge>
            ) : null}
          </span>
        </span>
      </label>
    </li>
  )
}

function mentions({ slug, name, description, output_schema }: Evaluator, text: string): boolean {
  const outputs = output_schema.map((field) => field.name).join(' ')
  const all = `${slug} ${name} ${description} ${outputs}`.toLowerCase()
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word))
}
