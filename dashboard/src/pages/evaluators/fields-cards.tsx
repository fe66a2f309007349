import { Card } from '../../ui/page.tsx'
import { Table } from '../../ui/table.tsx'
import { originWords } from '../monitors/words.ts'
import type { EvaluatorDetail, SchemaField } from './evaluator-types.ts'

/** The inputs of an evaluator, where they come from in a span, and its outputs. */
export function FieldsCards({ evaluator }: { evaluator: EvaluatorDetail }) {
  const { input_schema: inputs, output_schema: outputs, config_schema: settings } = evaluator
  return (
    <>
      <div className="evaluator-fields">
        <Card title="Inputs">
          <Table
            label="Inputs"
            rows={inputs}
            keyOf={({ name }) => name}
            columns={[
              { title: 'Input', cell: (field) => <FieldName field={field} /> },
              { title: 'Description', cell: ({ description }) => description || '–' },
              {
                title: 'Source in a span',
                cell: ({ name }) => originOf(evaluator, name),
              },
            ]}
          />
        </Card>
        <Card title="Outputs">
          <Table
            label="Outputs"
            rows={outputs}
            keyOf={({ name }) => name}
            columns={[
              { title: 'Output', cell: (field) => <FieldName field={field} /> },
              { title: 'Description', cell: ({ description }) => description || '–' },
              { title: 'Type', cell: typeWords },
            ]}
          />
        </Card>
      </div>
      {settings ? <SettingsCard settings={settings} /> : null}
    </>
  )
}

function FieldName({ field: { name } }: { field: SchemaField }) {
  return <code>{name}</code>
}

function originOf({ span_fields: origins }: EvaluatorDetail, name: string): string {
  if (!origins) return 'The field of this name, unless the setup maps it'
  const field = origins[name]
  if (field === null || field === undefined) return 'Mapped in the setup'
  const words = originWords({ field })
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const TYPES: Readonly<Record<SchemaField['type'], string>> = {
  string: 'Text',
  int: 'Whole number',
  float: 'Number',
  boolean: 'Yes or no',
  enum: 'One of',
}

/** The form of a value in words, with its bounds. */
export function typeWords({ type, enum_values: words, minimum, maximum }: SchemaField): string {
  if (type === 'enum') return `One of ${(words ?? []).join(', ')}`
  const bounds = [
    minimum === undefined ? '' : ` from ${minimum}`,
    maximum === undefined ? '' : ` to ${maximum}`,
  ].join('')
  return `${TYPES[type]}${bounds}`
}

interface Setting {
  readonly description?: string
  readonly default?: unknown
}

function SettingsCard({ settings }: { settings: Readonly<Record<string, unknown>> }) {
  const rows = Object.entries((settings['properties'] ?? {}) as Record<string, Setting>)
  const required = (settings['required'] ?? []) as readonly string[]
  return (
    <Card title="Settings">
      <Table
        label="Settings"
        rows={rows}
        keyOf={([name]) => name}
        columns={[
          { title: 'Setting', cell: ([name]) => <code>{name}</code> },
          { title: 'Description', cell: ([, { description }]) => description ?? '–' },
          {
            title: 'Default',
            cell: ([name, setting]) =>
              setting.default === undefined ? (
                required.includes(name) ? (
                  'Required'
                ) : (
                  '–'
                )
              ) : (
                <code>{JSON.stringify(setting.default)}</code>
              ),
          },
        ]}
      />
    </Card>
  )
}
