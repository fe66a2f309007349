import type { components } from '../../api/schema.gen.ts'

export type Evaluator = components['schemas']['Evaluator']
export type EvaluatorDetail = components['schemas']['EvaluatorDetail']
export type SchemaField = components['schemas']['SchemaField']
export type Example = NonNullable<EvaluatorDetail['examples']>[number]
export type Judges = components['schemas']['Judges']
