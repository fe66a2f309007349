import { Link } from 'wouter'
import { Badge } from '../../ui/badge.tsx'
import { formatCompact, formatCount, formatDuration, formatNumber, formatUsd } from '../../ui/format.ts'
import { MarkedText } from '../../ui/marked-text.tsx'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { ScoreDots } from './score-dots.tsx'
import type { Trace } from './trace-types.ts'

/** A column that people can choose. */
export interface ChosenColumn<Row> extends Column<Row> {
  readonly title: string
  /** Always shown: it leads to the row. */
  readonly isFixed?: boolean
  /** Shown where nothing was chosen. */
  readonly isUsual?: boolean
}

/** All columns of the list of traces, in the order in which they are shown. */
export const TRACE_COLUMNS: Readonly<Record<string, ChosenColumn<Trace>>> = {
  name: {
    title: 'Name',
    isFixed: true,
    cell: ({ trace_id: id, name, service, started_at: at }) => (
      <span className="trace-cell">
        <Link href={`/traces/${id}`} className="trace-name">
          {name ?? `No root span yet (${id.slice(0, 8)}…)`}
        </Link>
        <span className="quiet small trace-origin">
          <Time at={at} />
          {` · ${service ?? 'no service name'}`}
        </span>
      </span>
    ),
  },
  input: {
    title: 'Input',
    isUsual: true,
    cell: ({ preview }) => <Excerpt text={preview?.input} />,
  },
  output: {
    title: 'Output',
    isUsual: true,
    isSecondary: true,
    cell: ({ preview }) => <Excerpt text={preview?.output} />,
  },
  scores: {
    title: 'Scores',
    isUsual: true,
    cell: ({ evaluations, scores }) => <ScoreDots evaluations={evaluations} scores={scores} />,
  },
  errors: {
    title: 'Errors',
    isUsual: true,
    isNumber: true,
    isSecondary: true,
    cell: ({ error_count: count }) => (count > 0 ? <Badge tone="bad">{formatNumber(count)}</Badge> : '0'),
  },
  duration: {
    title: 'Duration',
    isUsual: true,
    isNumber: true,
    isSecondary: true,
    cell: ({ duration_ms: ms, span_count: count }) => (
      <Two first={formatDuration(ms)} second={formatCount(count, 'span')} />
    ),
  },
  tokens: {
    title: 'Tokens and cost',
    isUsual: true,
    isNumber: true,
    isSecondary: true,
    cell: ({ model_calls: calls, prompt_tokens: sent, completion_tokens: came, cost_usd: usd }) =>
      calls === 0 ? '–' : <Two first={formatCompact(sent + came)} second={formatUsd(usd)} />,
  },
  started: {
    title: 'Started',
    isSecondary: true,
    cell: ({ started_at: at }) => (
      <span className="trace-time">
        <Time at={at} />
      </span>
    ),
  },
  model: {
    title: 'Model',
    isSecondary: true,
    cell: ({ model }) => <span className="trace-model">{model ?? '–'}</span>,
  },
  environment: {
    title: 'Environment',
    isSecondary: true,
    cell: ({ environment }) => environment ?? '–',
  },
  session: {
    title: 'Session',
    isSecondary: true,
    cell: ({ session_id: id }) =>
      id === undefined ? (
        '–'
      ) : (
        <Link href={`/sessions/${encodeURIComponent(id)}`} className="trace-model">
          {id}
        </Link>
      ),
  },
}

/** Stands in for input and output while a text is searched: the place where it was found. */
export const MATCH_COLUMN: Column<Trace> = {
  title: 'Match',
  cell: ({ snippet }) =>
    snippet ? (
      <span className="trace-excerpt trace-snippet">
        <MarkedText text={snippet.text} matches={snippet.matches} />
      </span>
    ) : (
      '–'
    ),
}

/** A text of a person or a model, in at most two lines. */
export function Excerpt({ text }: { text: string | undefined }) {
  if (text === undefined) return <span className="quiet">–</span>
  return (
    <span className="trace-excerpt" title={text}>
      {text}
    </span>
  )
}

/** Two short texts that belong together, one below the other. */
function Two({ first, second }: { first: string; second: string }) {
  return (
    <span className="trace-two">
      <span>{first}</span>
      <span className="quiet small">{second}</span>
    </span>
  )
}
