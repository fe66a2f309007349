import type { DialectReader } from './canonical-values.ts'
import { firstText, isObject, type JsonObject } from './json-value.ts'
import { readArguments, readResult } from './read-tools.ts'
import { FROM_NAME, fromAttribute, type SpanSource } from './span-source.ts'

const ARGUMENTS = ['mcp.request.argument', 'mcp.request.arguments', 'mcp.tool.arguments']
const RESULT = ['mcp.response.value', 'mcp.tool.result']

/** Calls of tools over the Model Context Protocol, in the words of those who do not yet use OpenTelemetry's. */
export const mcp: DialectReader = {
  dialect: 'mcp',
  speaks: (span) => ['mcp.method.name', ...ARGUMENTS, ...RESULT].some((key) => span.raw(key) !== undefined),
  toolCalls(span) {
    const name = isToolCall(span) ? toolName(span) : undefined
    if (name === undefined) return undefined
    const key = ARGUMENTS.find((one) => span.raw(one) !== undefined)
    const request = requestOf(span)
    const sent = request && Object.hasOwn(request, 'arguments') ? request['arguments'] : key && span.raw(key)
    const named = ['gen_ai.tool.name', 'mcp.tool.name'].find((one) => span.text(one) !== undefined)
    const origins = [...(named ? [named] : []), ...(key ? [key] : [])].map(fromAttribute)
    const value = [{ name, arguments: readArguments(sent) }]
    return { value, origins: origins.length > 0 ? origins : [FROM_NAME] }
  },
  toolResults(span) {
    const key = isToolCall(span) ? RESULT.find((one) => span.raw(one) !== undefined) : undefined
    if (key === undefined) return undefined
    const name = toolName(span)
    const value = { ...(name !== undefined && { name }), result: readResult(span.raw(key)) }
    return { value: [value], origins: [fromAttribute(key)] }
  },
}

function isToolCall(span: SpanSource): boolean {
  const method = span.text('mcp.method.name')
  return method === undefined ? span.text('mcp.tool.name') !== undefined : method === 'tools/call'
}

function toolName(span: SpanSource): string | undefined {
  const named = span.text('gen_ai.tool.name') ?? span.text('mcp.tool.name')
  if (named !== undefined) return named
  const request = requestOf(span)
  const inRequest = request && firstText(request, ['name', 'tool_name'])
  // The span of a call is named `tools/call <tool>`.
  return inRequest ?? (/^tools\/call (.+)$/.exec(span.span.name)?.[1] || undefined)
}

/** The parameters of the request, alone or in the whole request. */
function requestOf(span: SpanSource): JsonObject | undefined {
  for (const key of ARGUMENTS) {
    const value = span.structure(key)
    if (!isObject(value)) continue
    return isObject(value['params']) ? value['params'] : value
  }
  return undefined
}
