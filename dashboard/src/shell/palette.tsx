import { Dialog } from '@ariakit/react'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { Icon } from '../ui/icon.tsx'
import { useCommands } from './palette-commands.ts'
import { type Command, findCommands } from './palette-search.ts'
import './palette.css'

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }

/**
 * Finds pages, setups, monitors, evaluators and traces, and runs commands, with the keyboard alone: a combobox whose focus
 * stays in the field while the arrow keys choose in the list (WAI-ARIA, "Combobox with Listbox Popup").
 */
export function Palette({ onClose, onShortcuts }: { onClose: () => void; onShortcuts: () => void }) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const listId = useId()
  const active = useRef<HTMLElement>(null)
  const groups = findCommands(useCommands(text, onShortcuts), text)
  const all = groups.flatMap(([, commands]) => commands)
  // Answers of the service may change the list while an option is chosen.
  const chosen = all[Math.min(at, all.length - 1)]
  const optionId = (command: Command | undefined) =>
    command === undefined ? undefined : `${listId}-${all.indexOf(command)}`
  useCloseOnArrival(onClose)
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the change of the option that scrolls.
  useEffect(() => {
    // Not returned: newer browsers give a promise, and React would take it for what ends the effect.
    active.current?.scrollIntoView({ block: 'nearest' })
  }, [chosen?.id])
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    if (step === undefined && event.key !== 'Enter') return
    event.preventDefault()
    if (step === undefined) active.current?.click()
    else if (all.length > 0) setAt((all.indexOf(chosen as Command) + step + all.length) % all.length)
  }
  return (
    <Dialog
      open
      onClose={onClose}
      aria-label="Command palette"
      preventBodyScroll={false}
      backdrop={<div className="dialog-backdrop" />}
      className="palette"
    >
      <input
        type="text"
        role="combobox"
        className="palette-input"
        aria-label="Search and commands"
        aria-expanded="true"
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={optionId(chosen)}
        autoComplete="off"
        autoFocus
        spellCheck={false}
        placeholder="Page, setup, monitor, trace id or command"
        value={text}
        onKeyDown={onKeyDown}
        onChange={(event) => {
          setText(event.target.value)
          setAt(0)
        }}
      />
      <div id={listId} role="listbox" aria-label="Results" className="palette-list">
        {groups.map(([title, commands]) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset holds controls of a form, this holds options.
          <div key={title} role="group" aria-label={title}>
            <p className="palette-group-title" aria-hidden="true">
              {title}
            </p>
            {commands.map((command) => (
              <Option
                key={command.id}
                id={optionId(command)}
                command={command}
                isChosen={command === chosen}
                element={command === chosen ? active : undefined}
                onPoint={() => setAt(all.indexOf(command))}
                onClose={onClose}
              />
            ))}
          </div>
        ))}
      </div>
    </Dialog>
  )
}

interface OptionProps {
  readonly id: string | undefined
  readonly command: Command
  readonly isChosen: boolean
  readonly element: React.RefObject<HTMLElement | null> | undefined
  readonly onPoint: () => void
  readonly onClose: () => void
}

function Option({ id, command, isChosen, element, onPoint, onClose }: OptionProps) {
  const { title, note, icon, act } = command
  const common = {
    id,
    role: 'option',
    'aria-selected': isChosen,
    tabIndex: -1,
    className: 'palette-item',
    onMouseMove: onPoint,
    children: (
      <>
        <Icon name={icon} />
        <span className="palette-title">{title}</span>
        {note === undefined ? null : <span className="quiet small palette-note">{note}</span>}
      </>
    ),
  }
  // Places are real links: they open in a new tab if asked to, and a page with unsaved changes can hold them back.
  if (typeof act === 'string')
    return (
      <Link
        {...common}
        href={act}
        onClick={onClose}
        {...(element ? { ref: element as React.Ref<HTMLAnchorElement> } : {})}
      />
    )
  const run = () => {
    onClose()
    act()
  }
  return (
    <button
      type="button"
      {...common}
      onClick={run}
      {...(element ? { ref: element as React.Ref<HTMLButtonElement> } : {})}
    />
  )
}

/** A page that asks before it is left goes on later, by itself: the palette is in the way then. */
function useCloseOnArrival(onClose: () => void): void {
  const [path] = useLocation()
  const start = useRef(path)
  useEffect(() => {
    if (path !== start.current) onClose()
  }, [path, onClose])
}
