import type { SchemaField } from './evaluator.ts'

/** Whether a field holds numbers, or booleans, which count as 0 and 1. */
export function isNumericField({ type }: SchemaField): boolean {
  return type === 'int' || type === 'float' || type === 'boolean'
}

/** The field that an evaluator is measured by where none is named: the first number or boolean of its output. */
export function measuredField(outputs: readonly SchemaField[] | undefined): SchemaField | undefined {
  return outputs?.find(isNumericField)
}
