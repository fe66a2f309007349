import './keys.css'
import { keyNames } from './shortcuts.ts'

/** Keys as they stand on the keyboard. */
export function Keys({ of }: { of: string }) {
  return (
    <span className="keys">
      {keyNames(of).map((name) => (
        <kbd key={name}>{name}</kbd>
      ))}
    </span>
  )
}
