import type { EvaluatorDetail } from './evaluator-types.ts'
import { MarkedPrompt } from './prompt-text.tsx'

const ROLES: Readonly<Record<string, string>> = { system: 'System', user: 'User', assistant: 'Assistant' }

/** The prompt of a custom evaluator, to read. */
export function PromptMessages({ evaluator }: { evaluator: EvaluatorDetail }) {
  const inputs = evaluator.input_schema.map(({ name }) => name)
  return (
    <ol className="evaluator-prompt">
      {evaluator.config.messages.map(({ role, content }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a message has no name but its place, and keeps it.
        <li key={at}>
          <span className="quiet small">{ROLES[String(role)] ?? String(role)}</span>
          <div className="prompt-shown">
            <MarkedPrompt content={String(content)} inputs={inputs} />
          </div>
        </li>
      ))}
    </ol>
  )
}
