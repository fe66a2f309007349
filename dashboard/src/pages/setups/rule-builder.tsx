import { useRef } from 'react'
import { Button } from '../../ui/button.tsx'
import { RuleRow } from './rule-row.tsx'
import { type DraftRule, newRule } from './setup-draft.ts'
import type { Fault } from './setup-faults.ts'

interface RuleBuilderProps {
  readonly rules: readonly DraftRule[]
  readonly onChange: (rules: readonly DraftRule[]) => void
  readonly fault: Fault | undefined
}

/** Rules that all must hold, one below the other. */
export function RuleBuilder({ rules, onChange, fault }: RuleBuilderProps) {
  const foot = useRef<HTMLDivElement>(null)
  const addedId = useRef<number>(undefined)
  const place = fault?.place
  const add = () => {
    const rule = newRule()
    addedId.current = rule.id
    onChange([...rules, rule])
  }
  const remove = (id: number) => {
    onChange(rules.filter((rule) => rule.id !== id))
    // The button that had the focus is gone.
    foot.current?.querySelector('button')?.focus()
  }
  return (
    <div className="setup-rules">
      {rules.length === 0 ? (
        <p className="quiet">No rules: every span is evaluated. Add a rule to choose.</p>
      ) : null}
      <ol className="setup-rules">
        {rules.map((rule, at) => (
          <RuleRow
            key={rule.id}
            number={at + 1}
            rule={rule}
            startsFocused={rule.id === addedId.current}
            fault={place?.kind === 'rule' && place.at === at ? fault : undefined}
            onChange={(next) => onChange(rules.map((each) => (each.id === rule.id ? next : each)))}
            onRemove={() => remove(rule.id)}
          />
        ))}
      </ol>
      <div ref={foot}>
        <Button onClick={add}>Add a rule</Button>
      </div>
    </div>
  )
}
