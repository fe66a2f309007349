import type { ReactNode } from 'react'
import './table.css'

/** A column of a table of rows. */
export interface Column<Row> {
  readonly title: ReactNode
  readonly cell: (row: Row) => ReactNode
  /** Numbers stand right, so that their digits line up. */
  readonly isNumber?: boolean
  /** Left out where there is little room. */
  readonly isSecondary?: boolean
}

interface TableProps<Row> {
  /** A description of the table for screen readers. */
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  /** Shown instead of the rows when there are none. */
  readonly empty?: ReactNode
  /** The key of the row that the keyboard is at. */
  readonly current?: string | undefined
}

export function Table<Row>({ label, columns, rows, keyOf, empty, current }: TableProps<Row>) {
  if (rows.length === 0 && empty) return <>{empty}</>
  const classOf = ({ isNumber, isSecondary }: Column<Row>) =>
    `${isNumber ? 'number right' : ''} ${isSecondary ? 'secondary' : ''}`
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard.
    <section className="table-scroll" aria-label={label} tabIndex={0}>
      <table className="table">
        <thead>
          <tr>
            {columns.map((column, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the columns of a table stay as they are.
              <th key={at} scope="col" className={classOf(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} aria-current={keyOf(row) === current ? 'true' : undefined}>
              {columns.map((column, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: see above.
                <td key={at} className={classOf(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
