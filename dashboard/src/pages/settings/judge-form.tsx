import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, ok } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNote, Note } from '../../ui/feedback.tsx'
import { Field, Select, TextInput } from '../../ui/field.tsx'
import { Card } from '../../ui/page.tsx'
import { useToast } from '../../ui/toast.tsx'
import { PROVIDER_CHOICES, type ProviderChoice } from './judge-providers.ts'
import { JudgeTestResult } from './judge-test-result.tsx'
import { useRefreshJudges } from './use-refresh-judges.ts'

type State = components['schemas']['Judges']

interface Draft {
  readonly choice: ProviderChoice
  readonly key: string
  readonly address: string
  readonly model: string
}

/** Connects a provider, tests it, and makes one of its models the judge of the organization. */
export function JudgeForm({ state, stored }: { state: State; stored: readonly string[] }) {
  const [first] = PROVIDER_CHOICES
  const [draft, setDraft] = useState<Draft>({
    choice: first as ProviderChoice,
    key: '',
    address: '',
    model: '',
  })
  const test = useMutation({ mutationFn: () => ok(api.POST('/v2/judges/test', { body: testBodyOf(draft) })) })
  const save = useSave(draft, () => setDraft({ ...draft, key: '' }))
  const change = (part: Partial<Draft>) => {
    setDraft({ ...draft, ...part })
    test.reset()
    save.reset()
  }
  const hasKey = stored.includes(draft.choice.provider) && draft.choice.id !== 'compatible'
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  const { problem } = state.secrets
  return (
    <Card title="Connect a judge">
      {problem === null ? null : (
        <Note tone="warn">
          <span>{`${sentence(problem)} Until then a judge can only be configured with environment variables.`}</span>
        </Note>
      )}
      <form className="judge-form-grid" onSubmit={submit}>
        <ProviderFields draft={draft} change={change} hasKey={hasKey} addresses={state.base_urls} />
        <div className="row judge-form-buttons">
          <Button
            isBusy={test.isPending}
            disabled={draft.model.trim() === '' || (draft.key === '' && !canTestStored(draft, state))}
            onClick={() => test.mutate()}
          >
            {test.isPending ? 'Asking …' : 'Test'}
          </Button>
          <Button type="submit" variant="primary" isBusy={save.isPending} disabled={problem !== null}>
            Save and use as the default judge
          </Button>
          <span className="quiet small">The test asks one short question, at the price of the model.</span>
        </div>
        <div aria-live="polite" className="judge-form-outcome stack">
          {test.data ? <JudgeTestResult test={test.data} /> : null}
          {test.error ? <ErrorNote error={test.error} /> : null}
          {save.error ? <ErrorNote error={save.error} /> : null}
        </div>
      </form>
    </Card>
  )
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

/** Without a key in the form the one that is configured is asked. */
function canTestStored({ choice }: Draft, { providers }: State): boolean {
  return providers.some(({ provider }) => provider === choice.provider)
}

function testBodyOf({ choice, key, address, model }: Draft) {
  return {
    provider: choice.provider,
    model: model.trim(),
    ...(key === '' ? {} : { api_key: key }),
    ...(key === '' || address === '' ? {} : { base_url: address.trim() }),
  }
}

function useSave(draft: Draft, onSaved: () => void) {
  const refresh = useRefreshJudges()
  const toast = useToast()
  return useMutation({
    async mutationFn() {
      const { choice, key, address, model } = draft
      if (key !== '')
        await ok(
          api.PUT('/v2/provider-keys/{provider}', {
            params: { path: { provider: choice.provider } },
            body: { api_key: key, ...(address === '' ? {} : { base_url: address.trim() }) },
          }),
        )
      return ok(api.PUT('/v2/judges/default', { body: { provider: choice.provider, model: model.trim() } }))
    },
    async onSuccess({ chosen_judge: judge }) {
      onSaved()
      await refresh()
      toast(`Saved. ${judge} is your default judge.`)
    },
  })
}

interface ProviderFieldsProps {
  readonly draft: Draft
  readonly change: (part: Partial<Draft>) => void
  /** A key for this provider is stored already. */
  readonly hasKey: boolean
  /** Addresses that the operator allows. */
  readonly addresses: readonly string[]
}

function ProviderFields({ draft, change, hasKey, addresses }: ProviderFieldsProps) {
  const { choice, key, address, model } = draft
  return (
    <>
      <Field label="Provider">
        {(ids) => (
          <Select
            {...ids}
            value={choice.id}
            options={PROVIDER_CHOICES.map(({ id, label }) => ({ value: id, label }))}
            onChange={({ target }) => {
              const next = PROVIDER_CHOICES.find(({ id }) => id === target.value) ?? choice
              change({ choice: next, address: next.id === 'compatible' ? (addresses[0] ?? '') : '' })
            }}
          />
        )}
      </Field>
      <Field
        label="API key"
        hint={
          hasKey
            ? 'A key is stored. Leave this empty to keep it, or type another one to replace it.'
            : 'Stored encrypted and never shown again.'
        }
      >
        {(ids) => (
          <TextInput
            {...ids}
            type="password"
            autoComplete="off"
            required={!hasKey}
            value={key}
            onChange={({ target }) => change({ key: target.value })}
          />
        )}
      </Field>
      {choice.needsAddress ? <AddressField {...{ choice, address, addresses, change }} /> : null}
      <Field label="Model">
        {(ids) => (
          <TextInput
            {...ids}
            required
            className="mono"
            placeholder={choice.model}
            value={model}
            onChange={({ target }) => change({ model: target.value })}
          />
        )}
      </Field>
    </>
  )
}

function AddressField({
  choice,
  address,
  addresses,
  change,
}: Pick<ProviderFieldsProps, 'addresses' | 'change'> & Pick<Draft, 'choice' | 'address'>) {
  const isChosen = choice.id === 'compatible'
  const hint =
    isChosen && addresses.length === 0
      ? 'The operator allows no addresses yet. List this one in ASSAY_PROVIDER_BASE_URLS and restart the service.'
      : undefined
  return (
    <Field label="Base address" {...(hint === undefined ? {} : { hint })}>
      {(ids) =>
        isChosen && addresses.length > 0 ? (
          <Select
            {...ids}
            value={address}
            options={addresses}
            onChange={({ target }) => change({ address: target.value })}
          />
        ) : (
          <TextInput
            {...ids}
            type="url"
            required
            placeholder={choice.addressHint}
            value={address}
            onChange={({ target }) => change({ address: target.value })}
          />
        )
      }
    </Field>
  )
}
