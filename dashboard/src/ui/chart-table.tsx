import { useState } from 'react'
import { Button } from './button.tsx'
import { type ChartSeries, valueText } from './chart-options.ts'
import { formatCount, formatDateTime } from './format.ts'
import { type Column, Table } from './table.tsx'

/** Longest table of a chart, in rows: the newest ones. */
const ROWS_MAX = 500

interface ChartTableProps {
  readonly label: string
  readonly times: readonly Date[]
  readonly series: readonly ChartSeries[]
  readonly format: (value: number) => string
  readonly isDrawn: (index: number) => boolean
  /** Leads to the rows behind a point. */
  readonly onOpen?: (index: number) => void
}

/** The points of a chart as text, when asked for. Times without any value are left out. */
export function ChartTable({ label, times, series, format, isDrawn, onOpen }: ChartTableProps) {
  const [isOpen, setOpen] = useState(false)
  const known = isOpen ? times.map((_, index) => index).filter(isDrawn) : []
  const rows = known.slice(-ROWS_MAX).toReversed()
  const timeOf = (index: number) => formatDateTime(times[index] ?? new Date(0))
  const columns: Column<number>[] = [
    {
      title: 'Time',
      cell: (index) =>
        onOpen ? (
          <button type="button" className="link-button" onClick={() => onOpen(index)}>
            {timeOf(index)}
          </button>
        ) : (
          timeOf(index)
        ),
    },
    ...series.map(
      ({ name, values }): Column<number> => ({
        title: name,
        isNumber: true,
        cell: (index) => valueText(values[index], format),
      }),
    ),
  ]
  return (
    <div className="chart-table">
      <Button variant="quiet" className="small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? 'Hide table' : 'Show as table'}
      </Button>
      {isOpen ? <Table label={`${label}, as a table`} columns={columns} rows={rows} keyOf={String} /> : null}
      {known.length > rows.length ? (
        <p className="quiet small">{`The newest ${formatCount(rows.length, 'row')} of ${known.length}.`}</p>
      ) : null}
    </div>
  )
}
