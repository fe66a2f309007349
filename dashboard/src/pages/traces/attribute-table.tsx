import { useState } from 'react'
import { CopyButton } from '../../ui/code.tsx'
import { EmptyState } from '../../ui/feedback.tsx'
import { TextInput } from '../../ui/field.tsx'
import { FoldedText } from '../../ui/folded-text.tsx'
import { prettyJson } from '../../ui/span-content.ts'

/** Fewer are seen at one glance. */
const SEARCH_FROM = 8

/** Names and values, found by either of them. */
export function AttributeTable({
  label,
  attributes,
}: {
  label: string
  attributes: Readonly<Record<string, string>>
}) {
  const [text, setText] = useState('')
  const all = Object.entries(attributes).sort(([a], [b]) => a.localeCompare(b, undefined, { numeric: true }))
  const wanted = text.trim().toLowerCase()
  const rows = all.filter(
    ([key, value]) => key.toLowerCase().includes(wanted) || value.toLowerCase().includes(wanted),
  )
  if (all.length === 0) return <EmptyState title="No attributes." />
  return (
    <div className="stack">
      {all.length >= SEARCH_FROM ? (
        <TextInput
          type="search"
          aria-label={`Search: ${label.toLowerCase()}`}
          placeholder="Search names and values"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      ) : null}
      {rows.length === 0 ? (
        <p className="quiet" role="status">
          None has that in its name or value.
        </p>
      ) : (
        <dl className="attributes" aria-label={label}>
          {rows.map(([key, value]) => (
            <div key={key} className="attribute">
              <dt className="mono">{key}</dt>
              <dd className="attribute-value">
                {value === '' ? (
                  <span className="quiet">empty</span>
                ) : (
                  <FoldedText text={prettyJson(value)} foldAt={300} isCode />
                )}
              </dd>
              <dd className="attribute-copy">
                <CopyButton text={value} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  )
}
