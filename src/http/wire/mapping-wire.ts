import * as z from 'zod'
import { CANONICAL_FIELDS } from '../../domain/evaluator.ts'
import type { InputMapping } from '../../domain/setup.ts'
import { defined } from '../../lib/defined.ts'
import { ATTRIBUTE_SOURCES } from '../../lib/otlp/span.ts'

/** Where one input comes from, in the form in which `evaluator_configs` takes it. */
export const mappingOutput = z
  .object({
    field: z.enum(CANONICAL_FIELDS).optional(),
    source: z.enum(ATTRIBUTE_SOURCES).optional(),
    key: z.string().optional(),
    json_path: z.string().optional(),
    regex: z.string().optional(),
  })
  .meta({ id: 'MappedInput' })

/** A stored mapping in the form of the wire. */
export function toWireMapping(
  mapping: Readonly<Record<string, InputMapping>>,
): Record<string, z.output<typeof mappingOutput>> {
  return Object.fromEntries(
    Object.entries(mapping).map(([input, { from, jsonPath, regex }]) => [
      input,
      {
        ...from,
        ...defined({ json_path: jsonPath, regex }),
      },
    ]),
  )
}
