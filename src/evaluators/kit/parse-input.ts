import type * as z from 'zod'
import { invalidInput } from '../../lib/public-error.ts'
import { withoutNulls } from './without-nulls.ts'

type Issue = z.core.$ZodIssue
type Path = readonly PropertyKey[]

/** Most characters of a name that a client made up, where an error repeats it. */
const SHOWN_NAME_CHARACTERS_MAX = 100

/**
 * The value as the schema reads it, or an `invalid input` error that names the first field that is wrong. A field that is null
 * is taken for one that is absent, unless the schema gives null a meaning.
 */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  root?: string,
): z.output<Schema> {
  const fault = firstFault(schema, value, root)
  if ('message' in fault) throw invalidInput(fault.message)
  return fault.value
}

/** Like parseInput, but the fault is a value, for callers that put their own words before it. */
export function firstFault<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  root?: string,
): { value: z.output<Schema> } | { message: string } {
  const result = parseLeniently(schema, value)
  if (result.success) return { value: result.data }
  const [issue] = result.error.issues
  if (!issue) throw new Error('a failed parse without an issue')
  return { message: issueText(issue, root === undefined ? [] : [root]) }
}

/** Parses a value; where that fails, without the fields that are null. */
export function parseLeniently<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.ZodSafeParseResult<z.output<Schema>> {
  const result = schema.safeParse(value, { reportInput: true })
  if (result.success) return result
  const given = withoutNulls(schema, value)
  return given === value ? result : schema.safeParse(given, { reportInput: true })
}

/** One sentence about one issue, beginning with the name of the field. */
function issueText(issue: Issue, prefix: Path): string {
  const path = [...prefix, ...issue.path]
  if (issue.code === 'invalid_union') {
    const branch = meantBranch(issue)
    if (branch) return issueText(branch, path)
  }
  if (issue.code === 'unrecognized_keys') {
    const [name = ''] = issue.keys
    return `${pathText([...path, name.slice(0, SHOWN_NAME_CHARACTERS_MAX)])} is not a known field`
  }
  return `${pathText(path)} ${complaint(issue)}`.trimStart()
}

/**
 * The issue of the alternative that the client most likely meant: the one whose fault lies inside the value, not in
 * its being of another type altogether.
 */
function meantBranch(issue: z.core.$ZodIssueInvalidUnion): Issue | undefined {
  return issue.errors.find(
    ([first]) => first && (first.path.length > 0 || first.code !== 'invalid_type'),
  )?.[0]
}

/** `selector[1]: value` for a part of a selector rule, `evaluator_configs[0].scope` for everything else. */
function pathText(path: Path): string {
  let text = ''
  for (const [at, part] of path.entries()) {
    if (typeof part === 'number') text += `[${part}]`
    else if (path[at - 2] === 'selector' && typeof path[at - 1] === 'number') text += `: ${String(part)}`
    else text += text === '' ? String(part) : `.${String(part)}`
  }
  return text
}

function complaint(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be ${article(typeName(issue.expected))}`
    case 'too_small':
      return tooSmall(issue)
    case 'too_big':
      return tooBig(issue)
    case 'invalid_value':
      return issue.input === undefined
        ? 'is required'
        : `must be one of ${issue.values.map(String).join(', ')}`
    case 'invalid_union':
      return issue.input === undefined ? 'is required' : unionText(issue)
    default:
      return issue.message
  }
}

function tooSmall(issue: z.core.$ZodIssueTooSmall): string {
  const least = Number(issue.minimum)
  if (issue.origin === 'string')
    return least === 1 ? 'must not be empty' : `must be at least ${least} characters`
  if (issue.origin === 'array') return `must contain at least ${least === 1 ? 'one item' : `${least} items`}`
  return `must be ${issue.inclusive === false ? 'greater than' : 'at least'} ${least}`
}

function tooBig(issue: z.core.$ZodIssueTooBig): string {
  const most = Number(issue.maximum)
  if (issue.origin === 'string') return `must be at most ${most} characters`
  if (issue.origin === 'array') return `must contain at most ${most} items`
  return `must be ${issue.inclusive === false ? 'less than' : 'at most'} ${most}`
}

function unionText(issue: z.core.$ZodIssueInvalidUnion): string {
  const types = issue.errors.flatMap(([first]) =>
    first?.code === 'invalid_type' ? [typeName(first.expected)] : [],
  )
  return types.length > 0 ? `must be ${types.map(article).join(' or ')}` : 'is invalid'
}

// Clients know JSON's words, not the validator's.
function typeName(expected: string): string {
  if (expected === 'record') return 'object'
  if (expected === 'int') return 'integer'
  return expected
}

function article(noun: string): string {
  return `${/^[aio]/.test(noun) ? 'an' : 'a'} ${noun}`
}
