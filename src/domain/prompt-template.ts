/** A piece of a template: text that stands for itself, or the name of what is put in its place. */
export type TemplatePiece = string | { readonly placeholder: string }

// JSON never has two opening braces in a row, so that an example of an answer is not taken for a placeholder.
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g

/** Takes a template apart at its `{{name}}`; blanks around a name do not belong to it. No piece of text is empty. */
export function splitTemplate(content: string): TemplatePiece[] {
  const pieces: TemplatePiece[] = []
  let from = 0
  for (const match of content.matchAll(PLACEHOLDER)) {
    if (match.index > from) pieces.push(content.slice(from, match.index))
    pieces.push({ placeholder: (match[1] as string).trim() })
    from = match.index + match[0].length
  }
  if (from < content.length) pieces.push(content.slice(from))
  return pieces
}

/** The names that a template asks for, in order, each once. */
export function placeholdersIn(content: string): string[] {
  const names = splitTemplate(content).flatMap((piece) =>
    typeof piece === 'string' ? [] : [piece.placeholder],
  )
  return [...new Set(names)]
}
