import { Link } from 'wouter'
import { Badge } from '../../ui/badge.tsx'
import type { Evaluator, Judges, SchemaField } from './evaluator-types.ts'
import { JudgeBadge } from './judge-quality.tsx'

/** One evaluator of the catalogue: what it says, what it needs and what it gives. */
export function EvaluatorCard({ evaluator, judges }: { evaluator: Evaluator; judges: Judges | undefined }) {
  const { slug, name, description, input_schema: inputs, output_schema: outputs } = evaluator
  return (
    <li className="card evaluators-card">
      <h3>
        <Link href={`/evaluators/${slug}`} className="evaluators-card-link">
          {name}
        </Link>
      </h3>
      <p>{description || 'No description.'}</p>
      <dl className="evaluators-needs small">
        <dt>Needs</dt>
        <dd>
          <Names fields={inputs} />
        </dd>
        <dt>Gives</dt>
        <dd>
          <Names fields={outputs} />
        </dd>
      </dl>
      <div className="row evaluators-badges">
        <JudgeBadge evaluator={evaluator} judges={judges} />
        {evaluator.default_scope && evaluator.default_scope !== 'span' ? (
          <Badge>{`Evaluates the whole ${evaluator.default_scope}`}</Badge>
        ) : null}
        {evaluator.config_schema ? <Badge>Has settings</Badge> : null}
      </div>
    </li>
  )
}

function Names({ fields }: { fields: readonly SchemaField[] }) {
  return fields.map(({ name, label, description }, at) => (
    <span key={name} title={description}>
      {at > 0 ? ', ' : ''}
      {at > 0 ? label.toLowerCase() : label}
    </span>
  ))
}
