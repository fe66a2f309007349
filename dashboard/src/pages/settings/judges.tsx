import { useMutation, useQuery } from '@tanstack/react-query'
import { api, ok } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.ts'
import { useMay } from '../../shell/use-whoami.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { ErrorNote, Loaded, Note } from '../../ui/feedback.tsx'
import { formatNumber, formatPercent } from '../../ui/format.ts'
import { Card } from '../../ui/page.tsx'
import { Table } from '../../ui/table.tsx'
import { JudgeForm } from './judge-form.tsx'
import { providerLabel } from './judge-providers.ts'
import { ProviderKeys } from './provider-keys.tsx'
import { useRefreshJudges } from './use-refresh-judges.ts'

type State = components['schemas']['Judges']

/** The judge in use, where it comes from, and the form that connects one. */
export function Judges() {
  const mayChange = useMay('admin')
  const judges = useQuery({
    queryKey: ['judges'],
    queryFn: () => ok(api.GET('/v2/judges', {})),
    refetchInterval: 10_000,
  })
  const keys = useQuery({
    queryKey: ['provider-keys'],
    queryFn: () => ok(api.GET('/v2/provider-keys', {})),
    enabled: mayChange === true,
  })
  const stored = keys.data?.provider_keys ?? []
  return (
    <div className="stack">
      <Loaded query={judges}>
        {(state) => (
          <>
            <Card title="Judge in use">
              <JudgeInUse state={state} mayChange={mayChange === true} />
              <Providers providers={state.providers} />
            </Card>
            {mayChange ? <JudgeForm state={state} stored={stored.map(({ provider }) => provider)} /> : null}
          </>
        )}
      </Loaded>
      {mayChange ? <ProviderKeys query={keys} /> : null}
      {judges.data ? <EmbeddedJudge embedded={judges.data.embedded} /> : null}
    </div>
  )
}

const SOURCES: Readonly<Record<NonNullable<State['source']>, string>> = {
  environment: 'Set by the operator in the environment, which wins over the judge you choose here.',
  organization: 'Your organization chose it.',
  provider_key: 'The usual model of the provider you have a key for. Choose another one below.',
  embedded: 'It runs in the service and needs no key, and it is weaker than a language model.',
}

function JudgeInUse({ state, mayChange }: { state: State; mayChange: boolean }) {
  const { judge, source, chosen_judge: chosen, privacy_gate: gate } = state
  if (judge === null)
    return (
      <Note tone="warn">
        No judge is configured. Evaluators that need a language model abstain. Connect one below.
      </Note>
    )
  return (
    <div className="stack judge-in-use">
      <p>
        <strong className="mono">{judge === 'embedded' ? 'The embedded judge' : judge}</strong>{' '}
        <span className="quiet">{source === null ? '' : SOURCES[source]}</span>
      </p>
      {chosen !== null && chosen !== judge ? (
        <Note tone="warn">
          <span>{`You chose ${chosen}. ${source === 'environment' ? 'The environment names another judge.' : 'No key for its provider is stored.'}`}</span>
        </Note>
      ) : null}
      {gate === 'off' ? null : (
        <p className="quiet">Personal data and secrets are replaced before anything is sent to a provider.</p>
      )}
      {mayChange && chosen !== null ? <TakeBackChoice /> : null}
    </div>
  )
}

function TakeBackChoice() {
  const refresh = useRefreshJudges()
  const remove = useMutation({
    mutationFn: () => ok(api.DELETE('/v2/judges/default', {})),
    onSuccess: refresh,
  })
  return (
    <div className="row">
      <Button isBusy={remove.isPending} onClick={() => remove.mutate()}>
        Remove your choice
      </Button>
      {remove.error ? <ErrorNote error={remove.error} /> : null}
    </div>
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
        { title: 'Provider', cell: (row) => providerLabel(row.provider) },
        {
          title: 'Key from',
          cell: (row) => (row.configured_by === 'operator' ? 'Environment' : 'Your organization'),
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
