import { attributeAliases, namesVendor } from './attribute-aliases.ts'
import { OPERATOR_TABLE } from './operators.ts'
import type { SelectorRule } from './selector.ts'
import { KIND_KEYS, OPERATION_KEYS, type SkippedSpans, VERCEL_OPERATION_KEY } from './span-role.ts'

/** Attributes that say what a span is, or which one: a rule on them names the spans it wants. */
const NAMING_KEYS: ReadonlySet<string> = new Set([
  ...[...KIND_KEYS, ...OPERATION_KEYS, VERCEL_OPERATION_KEY],
  ...[
    'operation.name',
    'traceloop.entity.name',
    'gen_ai.task.name',
    'llm.operation.name',
    'gen_ai.request.type',
  ],
])

/** Attributes that only the outer span of a call has. */
const OUTER_KEYS: ReadonlySet<string> = new Set(['ai.prompt', 'ai.settings.maxSteps'])

/**
 * Attributes that SDKs put on every span of a request, or on the outer and the inner span of a call: a rule on them says
 * whose spans are wanted, and not which.
 */
const SHARED_KEYS: ReadonlySet<string> = new Set(
  [
    ...['traceloop.workflow.name', 'traceloop.entity.path', 'gen_ai.agent.name', 'gen_ai.conversation.id'],
    ...['gen_ai.session.id', 'session.id', 'user.id', 'enduser.id', 'metadata', 'tag.tags', 'resource.name'],
    ...['gen_ai.request.model', 'gen_ai.response.model', 'ai.model.id', 'ai.model.provider'],
  ].flatMap(attributeAliases),
)
const SHARED_PREFIXES = [
  ...['traceloop.association.properties.', 'ai.telemetry.', 'ai.request.headers.', 'langsmith.metadata.'],
  ...['langfuse.session.', 'langfuse.user.', 'langfuse.trace.', 'langfuse.environment'],
  ...['service.', 'deployment.', 'host.', 'process.', 'telemetry.'],
]

/**
 * Which spans the monitors of a selector skip. A selector that names the kind of its spans is taken at its word. One that
 * names an attribute of the application's own is too, but the two spans of one call are one unit. One that only says
 * whose spans are wanted, or leaves some out, or none at all, would match everything that a framework reports.
 */
export function skippedBy(selector: readonly SelectorRule[]): SkippedSpans | undefined {
  let skips: SkippedSpans = 'plumbing'
  for (const rule of selector) {
    const { isNegative, test } = OPERATOR_TABLE[rule.operator]
    if (isNegative || rule.source === 'resource_attributes') continue
    if (OUTER_KEYS.has(rule.key)) return undefined
    if (NAMING_KEYS.has(rule.key)) {
      // A rule that any kind will do matches nearly everything.
      if (test !== 'exists') return undefined
    } else if (!isShared(rule.key)) skips = 'wrappers'
  }
  return skips
}

function isShared(key: string): boolean {
  return namesVendor(key) || SHARED_KEYS.has(key) || SHARED_PREFIXES.some((prefix) => key.startsWith(prefix))
}
