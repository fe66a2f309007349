import { useQuery } from '@tanstack/react-query'
import { useParams } from 'wouter'
import { EmptyState, Loaded } from '../../ui/feedback.tsx'
import { Page } from '../../ui/page.tsx'
import { useQueryState } from '../../ui/time-range.ts'
import { readEvaluator, useJudges } from './evaluator-queries.ts'
import { draftOf, firstDraft } from './judge-draft.ts'
import { JudgeEditor } from './judge-editor.tsx'

export default function EvaluatorEditorPage() {
  const { slug } = useParams<{ slug?: string }>()
  return slug === undefined ? <NewJudge /> : <StoredJudge key={slug} slug={slug} />
}

function NewJudge() {
  const judges = useJudges()
  if (judges.isPending) return <Waiting title="New judge" query={judges} />
  return <JudgeEditor initial={firstDraft(judges.data?.judge)} slug={undefined} broughtBack={undefined} />
}

/** The current version, or an older one that the address names: saving that brings it back. */
function StoredJudge({ slug }: { slug: string }) {
  const [query] = useQueryState()
  const version = query.get('version') ?? undefined
  const evaluator = useQuery({
    queryKey: ['evaluator to edit', slug, version ?? 'newest'],
    queryFn: () => readEvaluator(slug, version),
    // The form being written is not replaced by a refetch, and opening it again reads it anew.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  if (!evaluator.data) return <Waiting title={slug} query={evaluator} />
  if (evaluator.data.source !== 'custom') {
    return (
      <Page title={evaluator.data.name}>
        <EmptyState title="This evaluator is built in and cannot be changed.">
          Write a judge of your own under Evaluators.
        </EmptyState>
      </Page>
    )
  }
  return <JudgeEditor initial={draftOf(evaluator.data)} slug={slug} broughtBack={version} />
}

function Waiting({ title, query }: { title: string; query: Parameters<typeof Loaded>[0]['query'] }) {
  return (
    <Page title={title}>
      <Loaded query={query} lines={8}>
        {() => null}
      </Loaded>
    </Page>
  )
}
