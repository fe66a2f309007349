import { useId, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { TRACE_COLUMNS } from './trace-columns.tsx'
import { useColumns } from './use-columns.ts'

/** Chooses the columns of the list. */
export function ColumnMenu() {
  const [isOpen, setOpen] = useState(false)
  const [chosen, choose] = useColumns()
  const id = useId()
  return (
    <div className="column-menu">
      <Button aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
        Columns
      </Button>
      {isOpen ? (
        <fieldset
          id={id}
          className="column-choices"
          onKeyDown={(event) => event.key === 'Escape' && setOpen(false)}
        >
          <legend className="visually-hidden">Columns of the list</legend>
          {Object.entries(TRACE_COLUMNS).map(([name, { title, isFixed }]) => (
            <label key={name} className="column-choice">
              <input
                type="checkbox"
                checked={isFixed || chosen.includes(name)}
                disabled={isFixed}
                onChange={({ target }) =>
                  choose(target.checked ? [...chosen, name] : chosen.filter((one) => one !== name))
                }
              />
              {title}
            </label>
          ))}
        </fieldset>
      ) : null}
    </div>
  )
}
