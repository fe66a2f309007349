import { type InputHTMLAttributes, useState } from 'react'
import { TextInput } from '../../ui/field.tsx'

interface NumberInputProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'value' | 'onChange'> {
  readonly value: number | undefined
  /** Undefined: nothing is written there. */
  readonly onChange: (value: number | undefined) => void
}

/** A number or nothing. Half-written input, such as `0.`, stays as it is. */
export function NumberInput({ value, onChange, ...rest }: NumberInputProps) {
  const [text, setText] = useState(value === undefined ? '' : String(value))
  const shown = numberOf(text) === value ? text : value === undefined ? '' : String(value)
  const change = (next: string) => {
    setText(next)
    onChange(numberOf(next))
  }
  return (
    <TextInput
      inputMode="decimal"
      {...rest}
      type="number"
      step="any"
      value={shown}
      onChange={(event) => change(event.target.value)}
    />
  )
}

function numberOf(text: string): number | undefined {
  const value = Number(text)
  return text.trim() === '' || Number.isNaN(value) ? undefined : value
}
