import { useQuery } from '@tanstack/react-query'
import { api, ok } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Loaded } from '../../ui/feedback.tsx'
import { formatCount, formatNumber } from '../../ui/format.ts'
import type { Setup } from './setup-definition.ts'

interface DeleteSetupDialogProps {
  readonly setup: Setup
  readonly isOpen: boolean
  readonly isBusy: boolean
  readonly onClose: () => void
  readonly onDelete: () => void
}

/** Asks before a setup is deleted, and says what ends with it and what stays. */
export function DeleteSetupDialog({ setup, isOpen, isBusy, onClose, onDelete }: DeleteSetupDialogProps) {
  return (
    <Dialog title={`Delete “${setup.external_id}”?`} isOpen={isOpen} onClose={onClose}>
      <div className="stack">
        <Consequences setup={setup} />
        <div className="row">
          <Button variant="danger" isBusy={isBusy} onClick={onDelete}>
            Delete setup
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </div>
    </Dialog>
  )
}

/** Statuses of units that no evaluation is stored of. */
const ONLY_COUNTED = ['sampled_out', 'skipped', 'cancelled']

function Consequences({ setup: { external_id } }: { setup: Setup }) {
  const monitors = useQuery({
    queryKey: ['monitors', 'of-setup', external_id],
    queryFn: () => ok(api.GET('/v2/monitors', { params: { query: { external_id, limit: 100 } } })),
  })
  return (
    <Loaded query={monitors} lines={3}>
      {({ monitors: all }) => {
        const active = all.filter(({ status }) => status === 'active')
        const kept = all
          .flatMap(({ counts }) => Object.entries(counts))
          .reduce((sum, [status, count]) => (ONLY_COUNTED.includes(status) ? sum : sum + count), 0)
        return (
          <ul className="delete-consequences">
            <li>
              {active.length === 0
                ? 'No monitor is running.'
                : `${formatCount(active.length, 'monitor')} ${active.length === 1 ? 'stops' : 'stop'}: ${active
                    .map(({ evaluator_type: slug }) => slug)
                    .join(', ')}.`}
            </li>
            <li>Spans that wait to be evaluated are cancelled. New spans are not scored.</li>
            <li>
              {kept === 0
                ? 'There are no evaluations yet.'
                : `${formatNumber(kept)} ${kept === 1 ? 'evaluation is' : 'evaluations are'} kept, with all charts.`}
            </li>
            <li>You can undo this for 24 hours. The same monitors then continue.</li>
          </ul>
        )
      }}
    </Loaded>
  )
}
