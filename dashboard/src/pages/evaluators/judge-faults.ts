/** A fault that the service found, and the part of the form that it is about. */
export interface JudgeFault {
  /** For example `output_schema[1].enum_values`; empty for all of it. */
  readonly path: string
  /** Without the path: it is shown at its place. */
  readonly message: string
}

/** Where a complaint belongs. Creating and changing name the same things in slightly different places. */
export function faultOf(message: string): JudgeFault {
  const plain = message.replace(/^invalid input: /, '').replace(/^config\.(llm_config\.)?/, '')
  const [path = ''] = /^[a-z_]+(?:\[\d+\])?(?:\.[a-z_]+)?(?=[ :])/.exec(plain) ?? []
  const words = plain.slice(path.length).replace(/^:? /, '')
  return { path, message: words.replace(/is not in input_schema;.*/, 'is no input') }
}

/** The words for one part of the form and what belongs to it. */
export function messageAt(fault: JudgeFault | undefined, path: string): string | undefined {
  if (!fault) return undefined
  return fault.path === path || fault.path.startsWith(`${path}.`) ? fault.message : undefined
}

const LISTS: Readonly<Record<string, string>> = {
  messages: 'Message',
  input_schema: 'Input',
  output_schema: 'Answer',
}
const PARTS: Readonly<Record<string, string>> = {
  content: 'text',
  enum_values: 'values',
  minimum: 'from',
  maximum: 'to',
}

/** The whole complaint, with its place in the words of the form. */
export function faultWords({ path, message }: JudgeFault): string {
  const [, list = '', at = '', part] = /^(\w+)\[(\d+)\](?:\.(\w+))?$/.exec(path) ?? []
  const place = LISTS[list]
    ? `${LISTS[list]} ${Number(at) + 1}${part ? `, ${PARTS[part] ?? part}` : ''}`
    : path
  return place === '' ? message : `${place.replaceAll('_', ' ')}: ${message}`
}
