/** What the service finds wrong, and the part of the form that it is about. */
export interface JudgeFault {
  /** For example `output_schema[1].enum_values`; empty for all of it. */
  readonly path: string
  readonly message: string
}

/** Where a complaint belongs. Creating and changing name the same things in slightly different places. */
export function faultOf(message: string): JudgeFault {
  const plain = message
    .replace(/^invalid input: /, '')
    .replace(/^config\./, '')
    .replace(/^llm_config\./, '')
  const [path = ''] = /^[a-z_]+(?:\[\d+\])?(?:\.[a-z_]+)?/.exec(plain) ?? []
  return { path, message: plain }
}

/** The words for one part of the form. */
export function messageAt(fault: JudgeFault | undefined, path: string): string | undefined {
  if (!fault) return undefined
  return fault.path === path || fault.path.startsWith(`${path}.`) ? fault.message : undefined
}
