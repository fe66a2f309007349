import { useQuery } from '@tanstack/react-query'
import { api, ok } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Loaded, Note } from '../../ui/feedback.tsx'
import { formatNumber, formatPercent } from '../../ui/format.ts'
import { Card } from '../../ui/page.tsx'
import { Table } from '../../ui/table.tsx'
import { ProviderKeys } from './provider-keys.tsx'

type State = components['schemas']['Judges']

export function Judges() {
  const judges = useQuery({
    queryKey: ['judges'],
    queryFn: () => ok(api.GET('/v2/judges', {})),
    refetchInterval: 10_000,
  })
  return (
    <div className="stack">
      <Loaded query={judges}>
        {(state) => (
          <>
            <Card title="Judge in use">
              <JudgeInUse state={state} />
              <Providers providers={state.providers} />
            </Card>
            <EmbeddedJudge embedded={state.embedded} />
          </>
        )}
      </Loaded>
      <ProviderKeys />
    </div>
  )
}

function JudgeInUse({ state: { judge, privacy_gate: gate } }: { state: State }) {
  if (judge === null)
    return <Note tone="warn">No judge is configured. Evaluators that need a language model abstain.</Note>
  return (
    <p>
      {judge === 'embedded' ? (
        <>
          <strong>The embedded judge.</strong> It runs in the service and needs no key, and it is weaker than
          a language model. Store a key below, or have the operator set <code>ASSAY_JUDGE_MODEL</code>.
        </>
      ) : (
        <>
          <strong>{judge}</strong> judges for this organization.
        </>
      )}{' '}
      {gate === 'off'
        ? null
        : 'Personal data and secrets are replaced before anything is sent to a provider.'}
    </p>
  )
}

const TONES: Readonly<Record<State['providers'][number]['state'], Tone>> = {
  ready: 'good',
  resting: 'warn',
  failing: 'bad',
}
const WORDS: Readonly<Record<State['providers'][number]['state'], string>> = {
  ready: 'Ready',
  resting: 'Resting',
  failing: 'Failing, paused',
}

function Providers({ providers }: { providers: State['providers'] }) {
  if (providers.length === 0) return null
  return (
    <Table
      label="Providers"
      rows={providers}
      keyOf={({ provider, configured_by: by }) => `${provider} ${by}`}
      columns={[
        { title: 'Provider', cell: (row) => row.provider },
        {
          title: 'Key owner',
          cell: (row) => (row.configured_by === 'operator' ? 'the operator' : 'your organization'),
        },
        { title: 'State', cell: (row) => <Badge tone={TONES[row.state]}>{WORDS[row.state]}</Badge> },
        { title: 'Calls in progress', cell: (row) => formatNumber(row.used_slots), isNumber: true },
        {
          title: 'Waiting',
          cell: (row) => formatNumber(row.waiting_calls),
          isNumber: true,
          isSecondary: true,
        },
      ]}
    />
  )
}

function EmbeddedJudge({ embedded }: { embedded: State['embedded'] }) {
  if (embedded.mode === 'off') return null
  return (
    <Card title="Quality of the embedded judge">
      <p className="quiet settings-lead">
        Balanced accuracy on held-out rows; 50% is guessing. Monitors use it from 75% on
        {embedded.mode === 'always' ? ', and here everywhere, because the operator has said so' : ''}.
      </p>
      <Table
        label="Measured quality of the embedded judge"
        rows={embedded.evaluators}
        keyOf={(row) => row.evaluator_type}
        columns={[
          { title: 'Evaluator', cell: (row) => row.evaluator_type },
          {
            title: 'Balanced accuracy',
            cell: (row) =>
              row.balanced_accuracy === null ? 'not measured' : formatPercent(row.balanced_accuracy),
            isNumber: true,
          },
          {
            title: 'In monitors',
            cell: (row) =>
              row.scores_in_monitors ? <Badge tone="good">Scores</Badge> : <Badge>Abstains</Badge>,
          },
        ]}
      />
    </Card>
  )
}
