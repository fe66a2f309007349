/** The part of a setup that the terminal shows. */
export interface SetupLine {
  readonly externalId: string
  readonly status: string
}

const BAR_CHARS = 30
const MARKS: Record<string, string> = {
  pending: '·',
  in_progress: '…',
  waiting_for_spans: '○',
  completed: '●',
  partial: '◐',
  failed: '✗',
}

/** Draws in place on a terminal; elsewhere, such as in a log, it prints a line whenever something has changed. */
export class DemoScreen {
  readonly #out: NodeJS.WriteStream
  #linesDrawn = 0
  #lastStates = ''

  constructor(out: NodeJS.WriteStream = process.stdout) {
    this.#out = out
  }

  /** A line that stays. */
  say(line: string): void {
    this.#linesDrawn = 0
    this.#out.write(`${line}\n`)
  }

  show(done: number, total: number, setups: readonly SetupLine[]): void {
    const states = setups.map(({ externalId, status }) => `${MARKS[status] ?? '?'} ${externalId} ${status}`)
    if (!this.#out.isTTY) {
      if (states.join() !== this.#lastStates)
        this.say(`${done}/${total} conversations · ${states.join(' · ')}`)
      this.#lastStates = states.join()
      return
    }
    const filled = Math.round((BAR_CHARS * done) / total)
    const bar = `${'█'.repeat(filled)}${'░'.repeat(BAR_CHARS - filled)} ${done}/${total} conversations`
    const up = this.#linesDrawn > 0 ? `\u001b[${this.#linesDrawn}A` : ''
    const lines = [bar, ...states]
    this.#out.write(up + lines.map((line) => `\u001b[2K${line}\n`).join(''))
    this.#linesDrawn = lines.length
  }
}

/** Columns as wide as their widest cell; numbers are texts already. */
export function renderTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd()
  const [head = [], ...body] = rows
  return [line(head), widths.map((width) => '─'.repeat(width)).join('  '), ...body.map(line)].join('\n')
}
