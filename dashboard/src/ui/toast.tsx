import { createContext, type ReactNode, useContext, useMemo, useRef, useState } from 'react'
import { Button } from './button.tsx'
import './toast.css'

interface Toast {
  readonly id: number
  readonly text: string
  readonly undo?: () => void
}

/** Says something shortly, and may offer to take it back. */
type ShowToast = (text: string, undo?: () => void) => void

const SHOWN_MS = 7_000
const Context = createContext<ShowToast>(() => {})

export const useToast = (): ShowToast => useContext(Context)

export function ToastProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly Toast[]>([])
  const next = useRef(1)
  const show = useMemo<ShowToast>(
    () => (text, undo) => {
      const id = next.current++
      setToasts((all) => [...all, { id, text, ...(undo ? { undo } : {}) }])
      setTimeout(() => setToasts((all) => all.filter((toast) => toast.id !== id)), SHOWN_MS)
    },
    [],
  )
  const dismiss = (id: number) => setToasts((all) => all.filter((toast) => toast.id !== id))
  return (
    <Context.Provider value={show}>
      {children}
      <div className="toasts" role="status" aria-live="polite">
        {toasts.map(({ id, text, undo }) => (
          <div key={id} className="toast">
            {text}
            {undo ? (
              <Button
                onClick={() => {
                  dismiss(id)
                  undo()
                }}
              >
                Undo
              </Button>
            ) : null}
          </div>
        ))}
      </div>
    </Context.Provider>
  )
}
