import { Combobox as AriaCombobox, ComboboxItem, ComboboxPopover, ComboboxProvider } from '@ariakit/react'
import type { ReactNode } from 'react'
import './combobox.css'

export interface Suggestion {
  readonly value: string
  /** Shown beside it: how often it occurs, what it means. */
  readonly note?: ReactNode
}

interface ComboboxProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly suggestions: readonly Suggestion[]
  readonly placeholder?: string
  readonly id?: string
}

/** A text field that suggests what exists; anything else can be typed too. */
export function Combobox({ label, value, onChange, suggestions, placeholder, id }: ComboboxProps) {
  return (
    <ComboboxProvider value={value} setValue={onChange}>
      <AriaCombobox
        {...(id === undefined ? {} : { id })}
        className="input"
        aria-label={label}
        placeholder={placeholder ?? ''}
        spellCheck={false}
        autoComplete="none"
      />
      <ComboboxPopover gutter={4} sameWidth className="combobox-list" aria-label={label}>
        {suggestions.map(({ value: suggested, note }) => (
          <ComboboxItem key={suggested} value={suggested} className="combobox-item">
            <span className="mono">{suggested}</span>
            {note ? <span className="quiet small">{note}</span> : null}
          </ComboboxItem>
        ))}
      </ComboboxPopover>
    </ComboboxProvider>
  )
}
