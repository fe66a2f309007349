import { formatMoment, formatNumber } from '../../ui/format.ts'
import { useRoving } from '../../ui/roving.ts'
import type { Coverage } from './chart-data.ts'
import { groupOutcomes } from './outcomes.tsx'

interface CoverageBarsProps {
  readonly columns: readonly Coverage[]
  /** Leads to the results of a column. */
  readonly onOpen: (index: number) => void
}

/** Units by outcome over time, as stacked bars. */
export function CoverageBars({ columns, onOpen }: CoverageBarsProps) {
  const roving = useRoving()
  const groups = columns.map(({ at, counts }) => ({ at, outcomes: groupOutcomes(counts) }))
  const most = Math.max(
    1,
    ...groups.map(({ outcomes }) => outcomes.reduce((sum, { count }) => sum + count, 0)),
  )
  const [first] = columns
  const last = columns.at(-1)
  return (
    <div>
      <ul className="coverage" aria-label="Units by outcome, over time">
        {groups.map(({ at, outcomes }, index) => {
          const counts = outcomes.map(({ label, count }) => `${label}: ${formatNumber(count)}`).join(', ')
          const words = `${formatMoment(at)}: ${counts || 'no units'}`
          return (
            <li key={at.getTime()}>
              <button
                type="button"
                aria-label={words}
                title={words}
                onClick={() => onOpen(index)}
                {...roving(index)}
              >
                {outcomes.toReversed().map(({ name, count }) => (
                  <span
                    key={name}
                    className={`outcome-${name}`}
                    style={{ height: `${(100 * count) / most}%` }}
                  />
                ))}
              </button>
            </li>
          )
        })}
      </ul>
      {first && last ? (
        <div className="spread quiet small">
          <span>{formatMoment(first.at)}</span>
          <span>{`Highest bar: ${formatNumber(most)}`}</span>
          <span>{formatMoment(last.at)}</span>
        </div>
      ) : null}
    </div>
  )
}
