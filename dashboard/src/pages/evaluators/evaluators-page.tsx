import { useMay } from '../../shell/use-whoami.ts'
import { ButtonLink } from '../../ui/button-link.tsx'
import { EmptyState, Loaded, LoadingCards } from '../../ui/feedback.tsx'
import { Field, Select, TextInput } from '../../ui/field.tsx'
import { Page } from '../../ui/page.tsx'
import { useQueryState } from '../../ui/time-range.ts'
import { GROUPS, type Group, groupOf, mentions } from './catalogue-groups.ts'
import { EvaluatorCard } from './evaluator-card.tsx'
import { useCatalogue, useJudges } from './evaluator-queries.ts'
import type { Evaluator } from './evaluator-types.ts'
import './evaluators.css'

const KINDS = [
  { value: '', label: 'All kinds' },
  ...GROUPS.map(({ name, title }) => ({ value: name, label: title })),
]

export default function EvaluatorsPage() {
  const catalogue = useCatalogue()
  const mayWrite = useMay('write')
  return (
    <Page
      title="Evaluators"
      lead="Checks for the output of your application. Open one to try it."
      actions={
        mayWrite ? (
          <ButtonLink to="/evaluators/new" variant="primary">
            New judge
          </ButtonLink>
        ) : null
      }
    >
      <Loaded query={catalogue} skeleton={<LoadingCards count={12} />}>
        {({ evaluators }) => <Catalogue evaluators={evaluators} />}
      </Loaded>
    </Page>
  )
}

function Catalogue({ evaluators }: { evaluators: readonly Evaluator[] }) {
  const [query, change] = useQueryState()
  const text = query.get('q') ?? ''
  const kind = query.get('kind') ?? ''
  const found = evaluators.filter((evaluator) => mentions(evaluator, text))
  const groups = GROUPS.filter(({ name }) => kind === '' || name === kind)
  const shown = found.filter((evaluator) => groups.some(({ name }) => name === groupOf(evaluator)))
  return (
    <>
      <div className="evaluators-search">
        <Field label="Search">
          {(ids) => (
            <TextInput
              {...ids}
              type="search"
              placeholder="faithful, personal data, context, JSON …"
              value={text}
              onChange={(event) => change({ q: event.target.value })}
            />
          )}
        </Field>
        <Field label="Kind">
          {(ids) => (
            <Select
              {...ids}
              options={KINDS}
              value={kind}
              onChange={(event) => change({ kind: event.target.value })}
            />
          )}
        </Field>
        <p className="quiet small" role="status">
          {`${shown.length} of ${evaluators.length} evaluators`}
        </p>
      </div>
      {groups.map((group) => (
        <CatalogueGroup
          key={group.name}
          group={group}
          evaluators={found.filter((evaluator) => groupOf(evaluator) === group.name)}
          isFiltered={text !== ''}
        />
      ))}
      {shown.length === 0 && text !== '' ? (
        <EmptyState title="No evaluators match this filter" icon="evaluators">
          Try another word, or write a judge of your own: a prompt and the answers you want.
        </EmptyState>
      ) : null}
    </>
  )
}

function CatalogueGroup(props: { group: Group; evaluators: readonly Evaluator[]; isFiltered: boolean }) {
  const { group, evaluators, isFiltered } = props
  const judges = useJudges().data
  if (evaluators.length === 0 && (isFiltered || group.name !== 'custom')) return null
  return (
    <section className="evaluators-group" aria-labelledby={`group-${group.name}`}>
      <div>
        <h2 id={`group-${group.name}`}>
          {group.title} <span className="quiet number">{evaluators.length}</span>
        </h2>
        <p className="quiet">
          {group.meaning}
          {group.name === 'judge' && judges?.judge?.includes('/') ? ` Judge in use: ${judges.judge}.` : ''}
        </p>
      </div>
      {evaluators.length === 0 ? (
        <p className="card quiet">
          None yet. Choose “New judge” to write one as a prompt and try it before you save it.
        </p>
      ) : (
        <ul className="evaluators-cards">
          {evaluators.map((evaluator) => (
            <EvaluatorCard key={evaluator.slug} evaluator={evaluator} judges={judges} />
          ))}
        </ul>
      )}
    </section>
  )
}
