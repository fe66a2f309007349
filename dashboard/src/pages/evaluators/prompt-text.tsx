import { type TextareaHTMLAttributes, useRef } from 'react'
import { Button } from '../../ui/button.tsx'
import { type PromptPiece, piecesOf } from './placeholders.ts'
import './prompt-text.css'

interface PromptTextProps extends Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'value' | 'onChange'> {
  readonly value: string
  readonly onChange: (value: string) => void
  /** Names that placeholders can have. */
  readonly inputs: readonly string[]
}

/** A text area whose placeholders are marked. The marks lie behind it and also make it as tall as its text. */
export function PromptText({ value, onChange, inputs, ...rest }: PromptTextProps) {
  const area = useRef<HTMLTextAreaElement>(null)
  const insert = (name: string) => {
    const { selectionStart: from, selectionEnd: to } = area.current ?? { selectionStart: 0, selectionEnd: 0 }
    const text = `{{${name}}}`
    onChange(value.slice(0, from) + text + value.slice(to))
    requestAnimationFrame(() => {
      area.current?.focus()
      area.current?.setSelectionRange(from + text.length, from + text.length)
    })
  }
  return (
    <div className="prompt-edit">
      <div className="prompt-layers">
        <div className="prompt-marks" aria-hidden="true">
          <MarkedPrompt content={value} inputs={inputs} />
          {/* A last line without text would else have no height. */}
          {'\u200b'}
        </div>
        <textarea
          {...rest}
          ref={area}
          className="input"
          spellCheck={false}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      </div>
      {inputs.length === 0 ? null : (
        <div className="row prompt-insert">
          <span className="quiet small">Insert</span>
          {inputs.map((name) => (
            <Button
              key={name}
              variant="quiet"
              aria-label={`Insert the placeholder ${name}`}
              onClick={() => insert(name)}
            >
              <code>{`{{${name}}}`}</code>
            </Button>
          ))}
        </div>
      )}
    </div>
  )
}

/** A prompt with its placeholders marked, to read. */
export function MarkedPrompt({ content, inputs }: { content: string; inputs: readonly string[] }) {
  return piecesOf(content).map((piece, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a piece has no name but its place.
    <Piece key={at} piece={piece} isKnown={inputs.includes(piece.placeholder ?? '')} />
  ))
}

function Piece({ piece: { text, placeholder }, isKnown }: { piece: PromptPiece; isKnown: boolean }) {
  if (placeholder === undefined) return text
  return <mark className={isKnown ? 'prompt-placeholder' : 'prompt-placeholder prompt-unknown'}>{text}</mark>
}
