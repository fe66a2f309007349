import { Button } from '../../ui/button.tsx'
import { Field, Select, TextArea, TextInput } from '../../ui/field.tsx'
import { Card } from '../../ui/page.tsx'
import { NumberInput } from '../setups/number-input.tsx'
import { COMPARISONS, type Comparison, type DraftVerdict, decidingField } from './draft-verdict.ts'
import type { DraftField } from './judge-draft.ts'
import { type JudgeFault, messageAt } from './judge-faults.ts'

const NEUTRAL = 'neutral'

interface VerdictCardProps {
  readonly verdict: DraftVerdict
  readonly outputs: readonly DraftField[]
  readonly onChange: (verdict: DraftVerdict) => void
  readonly fault: JudgeFault | undefined
}

/** Asks which answers of a judge are good, and what the two verdicts are called. */
export function VerdictCard({ verdict, outputs, onChange, fault }: VerdictCardProps) {
  const deciding = decidingField(verdict, outputs)
  const chosen = verdict.isNeutral ? NEUTRAL : String(deciding?.id ?? '')
  return (
    <Card title="Verdict">
      <p className="quiet judge-meaning">
        Which answers are good? Results pass or fail by this rule. Changing it makes no new version: stored
        results are judged again.
      </p>
      <div className="judge-pair">
        <Field label="Deciding answer" error={messageAt(fault, 'verdict')}>
          {(ids) => (
            <Select
              {...ids}
              value={chosen}
              options={optionsOf(outputs)}
              onChange={({ target }) => onChange({ ...verdict, ...choiceOf(target.value) })}
            />
          )}
        </Field>
        {deciding && !verdict.isNeutral ? (
          <Condition verdict={verdict} field={deciding} onChange={onChange} />
        ) : null}
      </div>
      {chosen === '' ? null : (
        <Button className="judge-default" onClick={() => onChange({ ...verdict, ...choiceOf('') })}>
          Return to the default rule
        </Button>
      )}
      {verdict.isNeutral ? null : (
        <div className="judge-pair">
          <Field label="Label for pass">
            {(ids) => (
              <TextInput
                {...ids}
                placeholder="Passed"
                disabled={!deciding}
                value={verdict.passLabel}
                onChange={({ target }) => onChange({ ...verdict, passLabel: target.value })}
              />
            )}
          </Field>
          <Field label="Label for fail">
            {(ids) => (
              <TextInput
                {...ids}
                placeholder="Failed"
                disabled={!deciding}
                value={verdict.failLabel}
                onChange={({ target }) => onChange({ ...verdict, failLabel: target.value })}
              />
            )}
          </Field>
        </div>
      )}
    </Card>
  )
}

function optionsOf(outputs: readonly DraftField[]) {
  return [
    { value: '', label: 'Default: the first yes-or-no answer is yes' },
    ...outputs.map(({ id, name }, at) => ({ value: String(id), label: name || `Answer ${at + 1}` })),
    { value: NEUTRAL, label: 'None: no answer is good or bad' },
  ]
}

function choiceOf(value: string): Pick<DraftVerdict, 'isNeutral' | 'fieldId'> {
  return value === NEUTRAL
    ? { isNeutral: true, fieldId: undefined }
    : { isNeutral: false, fieldId: value === '' ? undefined : Number(value) }
}

interface ConditionProps {
  readonly verdict: DraftVerdict
  readonly field: DraftField
  readonly onChange: (verdict: DraftVerdict) => void
}

function Condition({ verdict, field: { type }, onChange }: ConditionProps) {
  if (type === 'boolean') {
    return (
      <Field label="Good when it is">
        {(ids) => (
          <Select
            {...ids}
            value={String(verdict.isTrue)}
            options={[
              { value: 'true', label: 'Yes' },
              { value: 'false', label: 'No' },
            ]}
            onChange={({ target }) => onChange({ ...verdict, isTrue: target.value === 'true' })}
          />
        )}
      </Field>
    )
  }
  if (type === 'int' || type === 'float') return <NumberCondition verdict={verdict} onChange={onChange} />
  return (
    <Field label="Good values, one per line">
      {(ids) => (
        <TextArea
          {...ids}
          rows={3}
          required
          value={verdict.goodText}
          onChange={({ target }) => onChange({ ...verdict, goodText: target.value })}
        />
      )}
    </Field>
  )
}

function NumberCondition({ verdict, onChange }: Omit<ConditionProps, 'field'>) {
  return (
    <>
      <Field label="Good when it">
        {(ids) => (
          <Select
            {...ids}
            value={verdict.compare}
            options={COMPARISONS}
            onChange={({ target }) => onChange({ ...verdict, compare: target.value as Comparison })}
          />
        )}
      </Field>
      <Field label="Threshold">
        {(ids) => (
          <NumberInput
            {...ids}
            required
            value={verdict.threshold}
            onChange={(threshold) => onChange({ ...verdict, threshold })}
          />
        )}
      </Field>
    </>
  )
}
