import { JsonView } from '../../ui/code.tsx'
import { FoldedText } from '../../ui/folded-text.tsx'
import type { EvaluationDetail } from './monitor-queries.ts'
import { originWords } from './words.ts'

/** The inputs of the evaluator, and the source of each. */
export function EvaluationInputs({ evaluation }: { evaluation: EvaluationDetail }) {
  const { input, input_unavailable: unavailable, mapping, config } = evaluation
  const names = [...new Set([...Object.keys(mapping), ...Object.keys(input ?? {})])]
  return (
    <section className="stack">
      <h2>Inputs</h2>
      {unavailable !== undefined ? (
        <p className="quiet">{`The inputs cannot be shown: ${unavailable}.`}</p>
      ) : null}
      <dl className="evaluation-inputs">
        {names.map((name) => (
          <div key={name}>
            <dt>
              <code>{name}</code>
              <span className="quiet">{` from ${mapping[name] ? originWords(mapping[name]) : 'elsewhere'}`}</span>
            </dt>
            {input?.[name] === undefined ? null : (
              <dd>
                <FoldedText text={input[name]} foldAt={400} />
              </dd>
            )}
          </div>
        ))}
      </dl>
      {Object.keys(config).length > 0 ? <JsonView label="Evaluator settings" value={config} /> : null}
    </section>
  )
}
