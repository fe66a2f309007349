import type { JudgeDraft } from './judge-draft.ts'

/** A piece of a prompt: text, or a placeholder with what stands between its braces. */
export interface PromptPiece {
  readonly text: string
  readonly placeholder?: string
}

const PLACEHOLDER = /\{\{([^{}]*)\}\}/g

/** Takes a prompt apart as the service does. */
export function piecesOf(content: string): PromptPiece[] {
  const pieces: PromptPiece[] = []
  let from = 0
  for (const match of content.matchAll(PLACEHOLDER)) {
    if (match.index > from) pieces.push({ text: content.slice(from, match.index) })
    pieces.push({ text: match[0], placeholder: (match[1] ?? '').trim() })
    from = match.index + match[0].length
  }
  if (from < content.length) pieces.push({ text: content.slice(from) })
  return pieces
}

export interface PlaceholderCheck {
  /** Placeholders that are no inputs. */
  readonly unknown: readonly string[]
  /** Inputs that no message names. */
  readonly unused: readonly string[]
}

/** Compares what the messages name with the inputs that there are. */
export function checkPlaceholders({
  messages,
  inputs,
}: Pick<JudgeDraft, 'messages' | 'inputs'>): PlaceholderCheck {
  const named = new Set(
    messages.flatMap(({ content }) =>
      piecesOf(content).flatMap(({ placeholder }) => (placeholder === undefined ? [] : [placeholder])),
    ),
  )
  const known = new Set(inputs.map(({ name }) => name.trim()))
  return {
    unknown: [...named].filter((name) => !known.has(name)),
    unused: [...known].filter((name) => name !== '' && !named.has(name)),
  }
}
