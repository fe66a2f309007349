import { useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Loaded } from '../../ui/feedback.tsx'
import { Card } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { readEvaluator, useVersions } from './evaluator-queries.ts'
import type { EvaluatorDetail } from './evaluator-types.ts'
import { PromptMessages } from './prompt-messages.tsx'
import { changesBetween } from './version-changes.ts'

/** Versions that are shown at first, and that each further step shows. */
const STEP_VERSIONS = 5

/** The versions of a custom evaluator, the newest first, each with what is different from the one before. */
export function VersionsCard({ slug, mayWrite }: { slug: string; mayWrite: boolean }) {
  const versions = useVersions(slug)
  const [count, setCount] = useState(STEP_VERSIONS)
  return (
    <Card title="Versions">
      <Loaded query={versions} lines={2}>
        {({ versions: all }) => (
          <>
            <Versions slug={slug} versions={all.toReversed()} count={count} mayWrite={mayWrite} />
            {count < all.length ? (
              <Button onClick={() => setCount(count + STEP_VERSIONS)}>
                {`Show older ones (${all.length - count})`}
              </Button>
            ) : null}
          </>
        )}
      </Loaded>
    </Card>
  )
}

interface Version {
  readonly id: string
  readonly version: string
  readonly created_at: string
}

interface VersionsProps {
  readonly slug: string
  /** The newest first. */
  readonly versions: readonly Version[]
  readonly count: number
  readonly mayWrite: boolean
}

function Versions({ slug, versions, count, mayWrite }: VersionsProps) {
  // One more than is shown: the last of them is compared with it.
  const details = useDetails(slug, versions.slice(0, count + 1))
  return (
    <ol className="evaluator-versions">
      {versions.slice(0, count).map((version, at) => (
        <VersionRow
          key={version.id}
          slug={slug}
          version={version}
          isCurrent={at === 0}
          isFirst={at === versions.length - 1}
          detail={details[at]}
          before={details[at + 1]}
          mayWrite={mayWrite}
        />
      ))}
    </ol>
  )
}

/** The definition of each version; a version never changes, so it is read once. */
function useDetails(slug: string, versions: readonly Version[]): (EvaluatorDetail | undefined)[] {
  const queries = useQueries({
    queries: versions.map(({ id }) => ({
      queryKey: ['evaluator version', slug, id],
      queryFn: () => readEvaluator(slug, id),
      staleTime: Number.POSITIVE_INFINITY,
    })),
  })
  return queries.map(({ data }) => data)
}

interface VersionRowProps {
  readonly slug: string
  readonly version: Version
  readonly isCurrent: boolean
  readonly isFirst: boolean
  readonly detail: EvaluatorDetail | undefined
  readonly before: EvaluatorDetail | undefined
  readonly mayWrite: boolean
}

function VersionRow({ slug, version, isCurrent, isFirst, detail, before, mayWrite }: VersionRowProps) {
  const changes = isFirst ? ['the first one'] : detail && before ? changesBetween(before, detail) : []
  return (
    <li>
      <div className="spread">
        <span className="row">
          <strong>{`Version ${version.version}`}</strong>
          {isCurrent ? <Badge tone="good">Current</Badge> : null}
          <span className="quiet small">
            <Time at={version.created_at} />
          </span>
        </span>
        {mayWrite && !isCurrent ? (
          <Link href={`/evaluators/${slug}/edit?version=${version.version}`}>Restore</Link>
        ) : null}
      </div>
      <p>{changes.join('; ') || '…'}</p>
      {detail && !isCurrent ? (
        <details>
          <summary>Prompt</summary>
          <PromptMessages evaluator={detail} />
        </details>
      ) : null}
    </li>
  )
}
