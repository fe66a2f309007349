import './icon.css'
import { ICON_PATHS, type IconName } from './icon-paths.ts'

/** A sign beside a word. It says nothing to screen readers, so the word must be there. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={ICON_PATHS[name]} />
    </svg>
  )
}
