import type { TestEvent } from 'node:test/reporters'

interface Failure {
  readonly name: string
  readonly file: string
  readonly cause: string
}

/**
 * Prints one line per file, each failure in full before the line of its file and once more at the end, then
 * `N passed, N failed`. A reader who sees only a part of a long run's output still finds the cause beside the file.
 */
export async function* report(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let passed = 0
  let skipped = 0
  const failures: Failure[] = []
  for await (const event of source) {
    if (event.type === 'test:stderr' || event.type === 'test:stdout') yield event.data.message
    if (event.type === 'test:summary' && event.data.file) yield fileLine(event.data)
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue
    const isGroup = event.data.details.type === 'suite'
    if (event.type === 'test:pass') {
      if (event.data.skip !== undefined) {
        skipped++
        yield `skip ${relative(event.data.file ?? '')}: ${event.data.name} (${event.data.skip})\n`
      } else if (!isGroup) passed++
      continue
    }
    const error = event.data.details.error as Error & { failureType?: string; cause?: unknown }
    // A group fails because something in it failed, which has been told already.
    if (error.failureType === 'subtestsFailed') continue
    const { name, file = '' } = event.data
    const failure = { name, file: relative(file), cause: describe(error.cause ?? error) }
    failures.push(failure)
    yield failureText(failure)
  }
  for (const failure of failures) yield failureText(failure)
  yield `\n${passed} passed, ${failures.length} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`
}

function failureText({ name, file, cause }: Failure): string {
  return `\nFAILED ${file}: ${name}\n${cause}\n`
}

function fileLine(summary: { file?: string | undefined; success: boolean; duration_ms: number }): string {
  return `${summary.success ? 'ok  ' : 'FAIL'} ${relative(summary.file ?? '')} (${Math.round(summary.duration_ms)} ms)\n`
}

function relative(file: string): string {
  return file.replace(`${process.cwd()}/`, '')
}

function describe(cause: unknown): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
}
