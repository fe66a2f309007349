import { useParams } from 'wouter'
import { Page } from '../../ui/page.tsx'
import { EvaluationView } from './evaluation-view.tsx'
import { useEvaluation } from './monitor-queries.ts'

/** One evaluation, with everything that decided it. */
export default function EvaluationPage() {
  const { id = '' } = useParams<{ id: string }>()
  const evaluation = useEvaluation(id)
  const { evaluator_type, external_id } = evaluation.data ?? {}
  return (
    <Page title="Evaluation" lead={evaluator_type ? `${evaluator_type}, setup ${external_id}` : undefined}>
      <EvaluationView id={id} />
    </Page>
  )
}
