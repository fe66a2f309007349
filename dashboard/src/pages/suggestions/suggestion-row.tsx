import { useMutation } from '@tanstack/react-query'
import { useId } from 'react'
import { Link } from 'wouter'
import { api, ok } from '../../api/client.ts'
import { Badge, VerdictBadge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { ErrorNote } from '../../ui/feedback.tsx'
import { volumeWords } from './suggestion-words.ts'
import type { Preview, Suggestion } from './use-suggestions.ts'

const STATES = {
  free: { tone: 'neutral', label: 'Runs locally' },
  judged: { tone: 'neutral', label: 'Asks a judge' },
  no_judge: { tone: 'warn', label: 'Needs a judge' },
} as const

interface SuggestionRowProps {
  readonly suggestion: Suggestion
  readonly isChosen: boolean
  readonly onToggle: () => void
}

/** One suggested evaluator: why, how much, and a few answers of the application with their verdicts. */
export function SuggestionRow({ suggestion, isChosen, onToggle }: SuggestionRowProps) {
  const id = useId()
  const judge = useJudgedPreviews(suggestion)
  const { state, previews } = suggestion
  const canPreview = state === 'judged' && previews.some(({ input }) => input !== undefined)
  return (
    <li className="suggested-row">
      <label className="suggested-head" htmlFor={id}>
        <input
          id={id}
          type="checkbox"
          checked={isChosen}
          disabled={state === 'no_judge'}
          onChange={onToggle}
        />
        <span className="suggested-name">
          <span className="row">
            <strong>{suggestion.evaluator_type}</strong>
            <Badge tone={STATES[state].tone}>{STATES[state].label}</Badge>
          </span>
          <span>{suggestion.reason}</span>
          <span className="quiet small">
            {volumeWords(suggestion)}
            {suggestion.judge ? `. Asks ${suggestion.judge}` : null}
          </span>
        </span>
      </label>
      {state === 'no_judge' ? (
        <p className="small">
          <Link href="/settings?tab=judges">Configure a judge</Link> to use it.
        </p>
      ) : (
        <Previews suggestion={suggestion} previews={judge.data ?? previews} />
      )}
      {judge.error ? <ErrorNote error={judge.error} /> : null}
      {canPreview && !judge.data ? (
        <div className="row">
          <Button isBusy={judge.isPending} onClick={() => judge.mutate()}>
            Preview with the judge
          </Button>
        </div>
      ) : null}
    </li>
  )
}

function Previews({
  suggestion: { evaluator_type: slug },
  previews,
}: {
  suggestion: Suggestion
  previews: readonly Preview[]
}) {
  return (
    <ul className="suggested-previews" aria-label={`Your answers with ${slug}`}>
      {previews.map((preview) => (
        <li key={`${preview.trace_id}${preview.span_id ?? ''}`}>
          <Link href={addressOf(preview)} className="suggested-preview">
            <span className="suggested-question">{preview.question ?? 'No question'}</span>
            <span className="suggested-answer quiet">{preview.answer ?? 'No answer'}</span>
          </Link>
          {preview.verdict ? (
            <VerdictBadge verdict={preview.verdict} label={preview.verdict_label} />
          ) : (
            <Badge tone="unscored">Not scored</Badge>
          )}
        </li>
      ))}
    </ul>
  )
}

function addressOf({ trace_id, span_id }: Preview): string {
  return span_id === undefined ? `/traces/${trace_id}` : `/traces/${trace_id}?span=${span_id}`
}

/** Has the judge decide about the previews; only when it is asked for, because that costs money. */
function useJudgedPreviews({ evaluator_type: slug, previews, pass_label, fail_label }: Suggestion) {
  return useMutation({
    mutationFn: () =>
      Promise.all(
        previews.map(async (preview): Promise<Preview> => {
          if (preview.input === undefined) return preview
          const { pass, result } = await ok(
            api.POST('/v2/guardrails/{evaluator}/execute', {
              params: { path: { evaluator: slug } },
              body: { input: preview.input },
            }),
          )
          const verdict = pass ? ('pass' as const) : ('fail' as const)
          return { ...preview, verdict, verdict_label: pass ? pass_label : fail_label, output: result }
        }),
      ),
  })
}
