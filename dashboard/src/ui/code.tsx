import { useState } from 'react'
import { Button } from './button.tsx'
import './code.css'

/** Copies a text and says that it has. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 1_500)
  }
  return (
    <Button variant="quiet" onClick={() => void copy()} aria-live="polite">
      {isCopied ? 'Copied' : label}
    </Button>
  )
}

/** Something to read or to copy, in a fixed-width font. */
export function CodeBlock({ text, label }: { text: string; label: string }) {
  return (
    <figure className="code">
      <figcaption className="spread">
        <span className="quiet small">{label}</span>
        <CopyButton text={text} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard. */}
      <pre tabIndex={0}>{text}</pre>
    </figure>
  )
}

export function JsonView({ value, label }: { value: unknown; label: string }) {
  return <CodeBlock label={label} text={JSON.stringify(value, undefined, 2)} />
}
