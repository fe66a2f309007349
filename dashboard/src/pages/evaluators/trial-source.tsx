import { useQuery } from '@tanstack/react-query'
import { api, ok } from '../../api/client.ts'
import { Field, Select, TextInput } from '../../ui/field.tsx'

/** Where the rows of a trial come from. */
export interface TrialSource {
  readonly kind: 'newest' | 'monitor' | 'service' | 'trace'
  readonly value: string
  readonly limit: string
}

export const FIRST_SOURCE: TrialSource = { kind: 'newest', value: '', limit: '20' }

const KINDS = [
  { value: 'newest', label: 'Newest traces' },
  { value: 'monitor', label: 'A monitor' },
  { value: 'service', label: 'An application' },
  { value: 'trace', label: 'A trace' },
] as const
const LIMITS = ['10', '20', '50']

/** The query of the rows; undefined while it is not complete. */
export function rowQueryOf({ kind, value, limit }: TrialSource) {
  const text = value.trim()
  if (kind === 'newest') return { limit: Number(limit) }
  if (text === '') return undefined
  if (kind === 'monitor') return { monitor_id: text, limit: Number(limit) }
  if (kind === 'service') return { service: text, limit: Number(limit) }
  return /^[0-9a-f]{32}$/.test(text) ? { trace_id: text, limit: Number(limit) } : undefined
}

/** The rows that a source has now. */
export function useTrialRows(source: TrialSource) {
  const query = rowQueryOf(source)
  return useQuery({
    queryKey: ['trial-rows', query],
    queryFn: () => ok(api.GET('/v2/trial-rows', { params: { query: query ?? {} } })),
    enabled: query !== undefined,
    staleTime: 30_000,
  })
}

interface SourceFormProps {
  readonly source: TrialSource
  readonly onChange: (source: TrialSource) => void
}

/** Chooses the rows to try a judge on. */
export function TrialSourceForm({ source, onChange }: SourceFormProps) {
  return (
    <div className="trial-controls">
      <Field label="Rows from">
        {(ids) => (
          <Select
            {...ids}
            value={source.kind}
            options={KINDS}
            onChange={({ target }) =>
              onChange({ ...source, kind: target.value as TrialSource['kind'], value: '' })
            }
          />
        )}
      </Field>
      <SourceValue source={source} onChange={onChange} />
      <Field label="Rows at most">
        {(ids) => (
          <Select
            {...ids}
            value={source.limit}
            options={LIMITS}
            onChange={({ target }) => onChange({ ...source, limit: target.value })}
          />
        )}
      </Field>
    </div>
  )
}

function SourceValue({ source, onChange }: SourceFormProps) {
  const set = (value: string) => onChange({ ...source, value })
  if (source.kind === 'newest') return null
  if (source.kind === 'monitor') return <MonitorSelect value={source.value} onChange={set} />
  const isTrace = source.kind === 'trace'
  return (
    <Field label={isTrace ? 'Trace id' : 'Application'}>
      {(ids) => (
        <TextInput
          {...ids}
          className={isTrace ? 'mono' : ''}
          placeholder={isTrace ? '32 hex digits' : 'Service name'}
          value={source.value}
          onChange={({ target }) => set(target.value)}
        />
      )}
    </Field>
  )
}

function MonitorSelect({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const monitors = useQuery({
    queryKey: ['monitors', 'to try on'],
    queryFn: () => ok(api.GET('/v2/monitors', { params: { query: { limit: 100 } } })),
  })
  const options = (monitors.data?.monitors ?? []).map((monitor) => ({
    value: monitor.id,
    label: `${monitor.external_id}: ${monitor.evaluator_type}`,
  }))
  return (
    <Field label="Monitor">
      {(ids) => (
        <Select
          {...ids}
          value={value}
          options={[{ value: '', label: 'Choose…' }, ...options]}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  )
}
