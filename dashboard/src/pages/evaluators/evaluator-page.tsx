import { useParams } from 'wouter'
import { useMay } from '../../shell/use-whoami.ts'
import { Badge } from '../../ui/badge.tsx'
import { ButtonLink } from '../../ui/button-link.tsx'
import { Loaded } from '../../ui/feedback.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { METHODS, SCOPE_WORDS } from '../setups/evaluator-words.ts'
import { useEvaluator, useJudges } from './evaluator-queries.ts'
import type { EvaluatorDetail } from './evaluator-types.ts'
import { FieldsCards } from './fields-cards.tsx'
import { judgeWords } from './judge-quality.tsx'
import { MonitorsUsing } from './monitors-using.tsx'
import { Playground } from './playground.tsx'
import { PromptMessages } from './prompt-messages.tsx'
import { VersionsCard } from './versions-card.tsx'
import './evaluator-page.css'

export default function EvaluatorPage() {
  const { slug = '' } = useParams<{ slug?: string }>()
  const query = useEvaluator(slug)
  if (query.data) return <Evaluator key={slug} evaluator={query.data} />
  return (
    <Page title={slug}>
      <Loaded query={query} lines={8}>
        {() => null}
      </Loaded>
    </Page>
  )
}

function Evaluator({ evaluator }: { evaluator: EvaluatorDetail }) {
  const { slug, name, description, source } = evaluator
  const mayWrite = useMay('write')
  return (
    <Page
      title={name}
      lead={description}
      actions={
        <>
          {source === 'custom' && mayWrite ? (
            <ButtonLink to={`/evaluators/${slug}/edit`}>Edit</ButtonLink>
          ) : null}
          <ButtonLink to={`/setups/new?evaluator=${slug}`} variant="primary">
            Use in a setup
          </ButtonLink>
        </>
      }
    >
      <About evaluator={evaluator} />
      <Playground evaluator={evaluator} />
      {source === 'custom' ? (
        <Card title="Prompt">
          <PromptMessages evaluator={evaluator} />
        </Card>
      ) : null}
      <FieldsCards evaluator={evaluator} />
      {source === 'custom' ? <VersionsCard slug={slug} mayWrite={mayWrite === true} /> : null}
      <MonitorsUsing slug={slug} />
    </Page>
  )
}

function About({ evaluator }: { evaluator: EvaluatorDetail }) {
  const judges = useJudges().data
  const { slug, method, source, version, verdict, default_scope: scope } = evaluator
  const words = judges ? judgeWords(evaluator, judges) : undefined
  return (
    <div className="evaluator-about">
      <div className="row">
        <code>{slug}</code>
        <Badge tone={method === 'judge' ? 'accent' : 'neutral'}>
          {source === 'custom' ? 'Your own judge' : METHODS[method].label}
        </Badge>
        {scope ? <Badge>{`Evaluates ${SCOPE_WORDS[scope].toLowerCase()}`}</Badge> : null}
        <Badge>{`Version ${version}`}</Badge>
      </div>
      <p className="quiet">{words ?? METHODS[method].meaning}</p>
      <p className="quiet">
        {verdict.property === undefined
          ? 'Results neither pass nor fail: it only measures.'
          : `A result passes when ${verdict.rule}.`}
      </p>
    </div>
  )
}
