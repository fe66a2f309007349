import { useState } from 'react'
import { Link } from 'wouter'
import { Status } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/feedback.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { BackfillButton } from '../jobs/backfill-button.tsx'
import { DeleteSetupDialog } from './delete-setup-dialog.tsx'
import { ruleWords } from './rule-words.ts'
import type { Setup } from './setup-definition.ts'
import { bindingErrorWords, statusReason } from './setup-status-words.ts'
import { useDeleteSetup } from './use-delete-setup.ts'

const RULES_SHOWN = 3

const COLUMNS: readonly Column<Setup>[] = [
  { title: 'Name', cell: (setup) => <Name setup={setup} /> },
  { title: 'State', cell: (setup) => <State setup={setup} /> },
  { title: 'Spans', cell: (setup) => <Rules setup={setup} />, isSecondary: true },
  { title: 'Evaluators', cell: (setup) => <Evaluators setup={setup} /> },
  { title: 'Changed', cell: ({ updated_at }) => <Time at={updated_at} as="ago" />, isSecondary: true },
  { title: <span className="visually-hidden">Actions</span>, cell: (setup) => <Actions setup={setup} /> },
]

/** Setups with their state and, where something failed, the reason. */
export function SetupsTable({ setups }: { setups: readonly Setup[] }) {
  return (
    <div className="setups-table">
      <Table
        label="Setups"
        columns={COLUMNS}
        rows={setups}
        keyOf={({ id }) => id}
        empty={
          <EmptyState title="No setups match this filter" icon="setups">
            Try another name or status.
          </EmptyState>
        }
      />
    </div>
  )
}

const addressOf = ({ external_id }: Setup) =>
  external_id === 'new' ? '/setups/new?edit=new' : `/setups/${encodeURIComponent(external_id)}`

function Name({ setup }: { setup: Setup }) {
  const { external_id, entity_type, entity_value } = setup
  return (
    <div className="setups-name">
      <Link href={addressOf(setup)}>
        <strong>{external_id}</strong>
      </Link>
      {entity_type || entity_value ? (
        <p className="quiet small">{[entity_type, entity_value].filter(Boolean).join(' ')}</p>
      ) : null}
    </div>
  )
}

function State({ setup }: { setup: Setup }) {
  const reason = statusReason(setup)
  return (
    <div className="setups-state">
      <Status of={setup.status} />
      {reason ? <p className="quiet small">{reason}</p> : null}
    </div>
  )
}

function Rules({ setup: { init_rules } }: { setup: Setup }) {
  if (init_rules.length === 0) return <span className="quiet">All spans</span>
  const more = init_rules.length - RULES_SHOWN
  return (
    <ul className="setups-rules small">
      {init_rules.slice(0, RULES_SHOWN).map((rule) => (
        <li key={JSON.stringify(rule)}>{ruleWords(rule)}</li>
      ))}
      {more > 0 ? <li className="quiet">and {more} more</li> : null}
    </ul>
  )
}

function Evaluators({ setup }: { setup: Setup }) {
  return (
    <ul className="setups-evaluators">
      {setup.evaluators.map(({ evaluator_type, binding_id, status, error_message }) => (
        <li key={evaluator_type}>
          <span className="row">
            {binding_id ? (
              <Link href={`/monitors/${binding_id}`}>{evaluator_type}</Link>
            ) : (
              <span>{evaluator_type}</span>
            )}
            {status === 'failed' ? <Status of={status} /> : null}
          </span>
          {error_message ? (
            <p className="setups-error small">
              {bindingErrorWords(error_message)}. <Link href={addressOf(setup)}>Fix</Link>
            </p>
          ) : null}
        </li>
      ))}
    </ul>
  )
}

function Actions({ setup }: { setup: Setup }) {
  const [isAsking, setAsking] = useState(false)
  const remove = useDeleteSetup()
  return (
    <div className="row setups-actions">
      <BackfillButton externalId={setup.external_id} variant="quiet" />
      <Button variant="quiet" onClick={() => setAsking(true)} aria-label={`Delete ${setup.external_id}`}>
        Delete
      </Button>
      <DeleteSetupDialog
        setup={setup}
        isOpen={isAsking}
        isBusy={remove.isPending}
        onClose={() => setAsking(false)}
        onDelete={() => remove.mutate(setup, { onSettled: () => setAsking(false) })}
      />
    </div>
  )
}
