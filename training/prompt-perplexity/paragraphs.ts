// Plain paragraphs out of the formats that the training text comes in. One paragraph is one string; a line break inside
// it is one that a reader would see.

/** Prose of a reStructuredText page: no lists of parameters, no tables, no code; markup taken off. */
export function rstProse(page: string): string[] {
  return page
    .split(/\n\s*\n/)
    .filter((block) => !/^(?: |\.\.|:|>>>|#|\||\+-|==|--|~~|\* {2})/m.test(block))
    .map((block) => oneLine(withoutRoles(block).replace(/^\* /, '')))
    .filter((text) => text.length > 60 && shareOfLetters(text) > 0.85)
}

/** The indented blocks of a reStructuredText page, moved to the margin: code, commands and their output. */
export function rstCode(page: string): string[] {
  return [...page.replaceAll('\t', '    ').matchAll(/(?:^(?: {4}.*| *)\n)+/gm)]
    .map(([block]) =>
      dedent(block)
        .trim()
        .replace(/\n{2,}/g, '\n'),
    )
    .filter((code) => code.length > 40 && !code.startsWith(':') && !code.startsWith('..'))
}

/** The comments of a TypeScript file: prose as one line per paragraph, examples as they are laid out. */
export function docComments(file: string): string[] {
  return [...file.matchAll(/\/\*\*([\s\S]*?)\*\//g)].flatMap(([, comment = '']) =>
    comment
      .replace(/^[ \t]*\* ?/gm, '')
      .replace(/\{@link (?:\S+ )?([^}]*)\}/g, '$1')
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .split(/```\w*\n?/)
      .flatMap((part, at) =>
        at % 2 === 1 ? [part.trim().replace(/\n{2,}/g, '\n')] : part.split(/\n\s*\n|\n(?=@)/).map(oneLine),
      )
      .filter((text) => text.length > 30),
  )
}

/** The sentences of a CoNLL file: one word per line with its tags, an empty line between sentences. */
export function conllSentences(file: string): string[] {
  return file
    .split(/\n\s*\n/)
    .map((block) =>
      block
        .split('\n')
        .filter((line) => line.trim() !== '' && !line.startsWith('-DOCSTART-'))
        .map((line) => line.split(/[ \t]/)[0] ?? ''),
    )
    .filter((words) => words.length > 3)
    .map((words) =>
      words
        .join(' ')
        .replace(/ ([.,;:!?)\]'%]|n't|'s)/g, '$1')
        .replace(/([([$#@]) /g, '$1'),
    )
}

/** The translations in a gettext file, without placeholders and markup. */
export function poTranslations(file: string): string[] {
  return [...file.matchAll(/^msgstr(?:\[\d\])? ((?:"(?:[^"\\]|\\.)*"\n?)+)/gm)]
    .map(([, quoted = '']) => quoted.trim().split('\n').map(unquote).join(''))
    .filter((text) => !text.includes('Project-Id-Version'))
    .map((text) => oneLine(text.replace(/%\(\w+\)\w|%\w|<[^>]+>/g, '')))
    .filter((text) => Buffer.byteLength(text) > 16)
}

/** White space of any kind and length becomes one space. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

function withoutRoles(text: string): string {
  return text
    .replace(/:[\w:+-]+:`[~!]?([^`<]*)(?:\s*<[^>]*>)?`/g, '$1')
    .replace(/`([^`<]*)\s*<[^>]*>`_+/g, '$1')
    .replaceAll('**', '')
    .replaceAll('`_', '')
    .replaceAll('`', '')
}

function shareOfLetters(text: string): number {
  return text.replace(/[^\p{L} ]/gu, '').length / text.length
}

function dedent(block: string): string {
  const lines = block.split('\n')
  const margins = lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/))
  const margin = Math.min(...margins)
  return lines.map((line) => line.slice(margin)).join('\n')
}

function unquote(line: string): string {
  try {
    return JSON.parse(line)
  } catch {
    // Escapes that gettext knows and JSON does not.
    return line.slice(1, -1)
  }
}

/** The paragraphs of a longer text. */
export function asParagraphs(text: string): string[] {
  return text
    .split(/\n\s*\n/)
    .map((part) => part.trim())
    .filter(Boolean)
}

/** Every string in a JSON value. */
export function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(stringsIn)
}
