import type { IconName } from '../ui/icon-paths.ts'

/** Something that the command palette offers. */
export interface Command {
  /** Unique in the palette. */
  readonly id: string
  readonly group: 'Trace' | 'Pages' | 'Actions' | 'Setups' | 'Monitors' | 'Evaluators' | 'Traces'
  readonly title: string
  /** Shown beside it in a lower voice, and searched too. */
  readonly note?: string
  readonly icon: IconName
  /** An address to go to, or a thing to do. */
  readonly act: string | (() => void)
}

/** The order of the groups in the list. */
const GROUPS: readonly Command['group'][] = [
  'Trace',
  'Pages',
  'Actions',
  'Setups',
  'Monitors',
  'Evaluators',
  // Matches every text, so it comes after everything that was meant by name.
  'Traces',
]
const PER_GROUP = 6

/** The id of a trace, however it was copied: with capitals, spaces around it or the dashes of a UUID. */
export function traceIdIn(text: string): string | undefined {
  const id = text.trim().toLowerCase().replaceAll('-', '')
  // A trace whose id is all zeros does not exist in OpenTelemetry.
  return /^[0-9a-f]{32}$/.test(id) && !/^0+$/.test(id) ? id : undefined
}

/** The commands that contain all words of the text, the best of each group first. Without a text: pages and actions. */
export function findCommands(commands: readonly Command[], text: string): readonly [string, Command[]][] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const offered = words.length === 0 ? commands.filter(({ group }) => isAlwaysShown(group)) : commands
  const found = offered.flatMap((command) => {
    const rank = rankOf(command, words)
    return rank === undefined ? [] : [{ command, rank }]
  })
  found.sort((a, b) => a.rank - b.rank)
  return GROUPS.flatMap((group) => {
    const all = found.map(({ command }) => command).filter((command) => command.group === group)
    const shown = isAlwaysShown(group) ? all : all.slice(0, PER_GROUP)
    return shown.length === 0 ? [] : [[group, shown] as [string, Command[]]]
  })
}

const isAlwaysShown = (group: Command['group']) => group === 'Pages' || group === 'Actions'

/** 0 is best: the title begins with the first word. Undefined where a word is missing. */
function rankOf({ title, note = '' }: Command, words: readonly string[]): number | undefined {
  const name = title.toLowerCase()
  const all = `${name} ${note.toLowerCase()}`
  if (!words.every((word) => all.includes(word))) return undefined
  const [first = ''] = words
  if (name.startsWith(first)) return 0
  return words.every((word) => name.includes(word)) ? 1 : 2
}
