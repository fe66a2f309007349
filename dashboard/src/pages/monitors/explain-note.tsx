import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ok } from '../../api/client.ts'
import { Badge } from '../../ui/badge.tsx'
import { Loaded } from '../../ui/feedback.tsx'
import type { EvaluationDetail } from './monitor-queries.ts'

/** Why the span was evaluated at all: what the rules of the setup found on it. Asked for when it is opened. */
export function ExplainNote({ evaluation }: { evaluation: EvaluationDetail }) {
  const [isOpen, setOpen] = useState(false)
  const { trace_id, span_id = '', external_id } = evaluation
  const explanation = useQuery({
    queryKey: ['explain', trace_id, span_id, external_id],
    queryFn: () =>
      ok(
        api.GET('/v2/spans/{trace_id}/{span_id}/explain', {
          params: { path: { trace_id, span_id }, query: { external_id } },
        }),
      ),
    enabled: isOpen,
  })
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Why was this span evaluated?</summary>
      {isOpen ? (
        <Loaded query={explanation}>
          {({ setups }) => (
            <div className="stack evaluation-explained">
              {setups.map((setup) => (
                <div key={setup.id} className="stack">
                  <p>{setup.summary}</p>
                  <ul className="verdict-list">
                    {setup.rules.map(({ rule, found, holds }) => (
                      <li key={JSON.stringify(rule)} className="row">
                        <Badge tone={holds ? 'good' : 'neutral'}>{holds ? 'holds' : 'does not hold'}</Badge>
                        <code>{`${rule.key} ${rule.operator}`}</code>
                        <span className="quiet">
                          {found.length === 0
                            ? 'the span has no such attribute'
                            : `found ${found.map(({ value }) => value).join(', ')}`}
                        </span>
                      </li>
                    ))}
                  </ul>
                </div>
              ))}
            </div>
          )}
        </Loaded>
      ) : null}
    </details>
  )
}
