import { useQueryState } from '../../ui/time-range.ts'
import { TRACE_COLUMNS } from './trace-columns.tsx'

const PLACE = 'assay.trace-columns'
const CHOOSABLE = Object.keys(TRACE_COLUMNS).filter((name) => !TRACE_COLUMNS[name]?.isFixed)
const USUAL = CHOOSABLE.filter((name) => TRACE_COLUMNS[name]?.isUsual)

/** The names of the chosen columns: those that the address names, that the browser remembers, or the usual ones. */
export function useColumns(): [readonly string[], (next: readonly string[]) => void] {
  const [address, change] = useQueryState()
  const named = address.get('columns') ?? localStorage.getItem(PLACE)
  const chosen = named === null ? USUAL : CHOOSABLE.filter((name) => named.split(',').includes(name))
  const choose = (next: readonly string[]) => {
    const text = CHOOSABLE.filter((name) => next.includes(name)).join(',')
    localStorage.setItem(PLACE, text)
    // An address without columns would mean the remembered ones, and none is a choice, too.
    change({ columns: text === '' ? 'none' : text })
  }
  return [chosen, choose]
}
