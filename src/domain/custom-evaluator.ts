import type { EvaluatorSummary } from './evaluator.ts'
import { placeholdersIn } from './prompt-template.ts'
import type { VerdictRule } from './verdict.ts'

/** A turn of a custom evaluator's prompt; `{{name}}` in its content stands for the input of that name. */
export interface CustomMessage {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

/** How the model of a custom evaluator is called; everything absent is left to the provider. */
export interface CustomModelConfig {
  readonly model: string
  readonly temperature?: number
  readonly topP?: number
  readonly frequencyPenalty?: number
  readonly presencePenalty?: number
  readonly maxTokens?: number
  readonly stop?: readonly string[]
}

/** The behaviour of a custom evaluator: everything that decides its answers. */
export interface CustomDefinition extends Pick<EvaluatorSummary, 'inputSchema' | 'outputSchema'> {
  readonly provider: string
  readonly messages: readonly CustomMessage[]
  readonly modelConfig: CustomModelConfig
}

/** The first `{{name}}` of the messages that is no input, and the message it is in. */
export function findUnknownPlaceholder({
  messages,
  inputSchema,
}: Pick<CustomDefinition, 'messages' | 'inputSchema'>):
  | { readonly at: number; readonly placeholder: string }
  | undefined {
  const inputs = new Set(inputSchema.map(({ name }) => name))
  for (const [at, { content }] of messages.entries()) {
    const placeholder = placeholdersIn(content).find((name) => !inputs.has(name))
    if (placeholder !== undefined) return { at, placeholder }
  }
  return undefined
}

/** A version of an organization's own evaluator; immutable but for its name and description. */
export interface CustomEvaluator extends EvaluatorSummary, CustomDefinition {
  readonly name: string
  readonly description: string
  /** The rule that its author chose; absent: what its outputs suggest. */
  readonly chosenVerdict?: VerdictRule
  readonly versionId: string
  /** 1 for the first. */
  readonly version: number
  readonly createdAtMs: number
  readonly updatedAtMs: number
}

/** Which versions of a custom evaluator there are. */
export interface CustomEvaluatorVersion {
  readonly versionId: string
  readonly version: number
  readonly createdAtMs: number
}

/** The changes of a PATCH; a definition that stays the same makes no new version. */
export interface CustomEvaluatorChange {
  readonly name?: string
  readonly description?: string
  readonly definition?: CustomDefinition
  /** The rule of its verdicts, which makes no new version; null: the one that its outputs suggest. */
  readonly verdict?: VerdictRule | null
}
