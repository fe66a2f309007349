import {
  Combobox,
  ComboboxGroup,
  ComboboxGroupLabel,
  ComboboxItem,
  ComboboxList,
  ComboboxProvider,
  Dialog,
} from '@ariakit/react'
import { useEffect, useRef, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { Icon } from '../ui/icon.tsx'
import { useCommands } from './palette-commands.ts'
import { type Command, findCommands } from './palette-search.ts'
import './palette.css'

/** Finds pages, setups, monitors, evaluators and traces, and runs commands, with the keyboard alone. */
export function Palette({ onClose, onShortcuts }: { onClose: () => void; onShortcuts: () => void }) {
  const [text, setText] = useState('')
  const groups = findCommands(useCommands(text, onShortcuts), text)
  useCloseOnArrival(onClose)
  return (
    <Dialog
      open
      onClose={onClose}
      aria-label="Command palette"
      preventBodyScroll={false}
      backdrop={<div className="dialog-backdrop" />}
      className="palette"
    >
      <ComboboxProvider value={text} setValue={setText} resetValueOnHide={false} focusLoop="vertical">
        <Combobox
          autoSelect="always"
          autoFocus
          className="palette-input"
          aria-label="Search and commands"
          placeholder="Page, setup, monitor, evaluator, trace id or command"
          spellCheck={false}
        />
        <ComboboxList alwaysVisible className="palette-list" aria-label="Results">
          {groups.map(([title, commands]) => (
            <ComboboxGroup key={title} className="palette-group">
              <ComboboxGroupLabel className="palette-group-title">{title}</ComboboxGroupLabel>
              {commands.map((command) => (
                <Item key={command.id} command={command} onClose={onClose} />
              ))}
            </ComboboxGroup>
          ))}
        </ComboboxList>
      </ComboboxProvider>
    </Dialog>
  )
}

function Item({ command: { title, note, icon, act }, onClose }: { command: Command; onClose: () => void }) {
  const content = (
    <>
      <Icon name={icon} />
      <span className="palette-title">{title}</span>
      {note === undefined ? null : <span className="quiet small palette-note">{note}</span>}
    </>
  )
  const common = { className: 'palette-item', focusOnHover: true, setValueOnClick: false } as const
  // Places are real links: they open in a new tab if asked to, and a page with unsaved changes can hold them back.
  if (typeof act === 'string')
    return (
      <ComboboxItem {...common} render={<Link href={act} />} onClick={onClose}>
        {content}
      </ComboboxItem>
    )
  return (
    <ComboboxItem
      {...common}
      onClick={() => {
        onClose()
        act()
      }}
    >
      {content}
    </ComboboxItem>
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
