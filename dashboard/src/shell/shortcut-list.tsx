import { Dialog } from '../ui/dialog.tsx'
import { Keys } from './keys.tsx'
import { useShortcutTable } from './shortcuts.ts'

/** All keys that do something on the page that is open. */
export function ShortcutList({ onClose }: { onClose: () => void }) {
  const groups = useShortcutTable()
  return (
    <Dialog title="Keyboard shortcuts" isOpen onClose={onClose}>
      {groups.map(({ title, shortcuts }) => (
        <section key={title} className="shortcut-group">
          <h3>{title}</h3>
          <dl>
            {shortcuts.map(({ keys, label }) => (
              <div key={keys}>
                <dt>{label}</dt>
                <dd>
                  <Keys of={keys} />
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <p className="quiet small">Shortcuts are off while you type in a field.</p>
    </Dialog>
  )
}
