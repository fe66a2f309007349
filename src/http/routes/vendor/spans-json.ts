import { setImmediate } from 'node:timers/promises'
import type { Span } from '../../../lib/otlp/span.ts'
import type { ShownSpan } from '../../../query/show-spans.ts'
import type { ProjectEnvironments } from '../../project-environments.ts'

/** Spans that are written before others get their turn. */
const WRITTEN_AT_ONCE = 50

/**
 * The items of a JSON array of spans. A page may be several megabytes of text; in one piece it would hold up all other
 * requests.
 */
export async function spansJson(
  spans: readonly ShownSpan[],
  environments: ProjectEnvironments,
  toWire: (span: Span, environment: string | undefined) => object,
): Promise<string> {
  const texts: string[] = []
  for (const { span, envProjectId } of spans) {
    texts.push(JSON.stringify(toWire(span, environments.slugOf(envProjectId))))
    if (texts.length % WRITTEN_AT_ONCE === 0) await setImmediate()
  }
  return texts.join(',')
}
