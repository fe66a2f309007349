import { createContext, type ReactNode, useContext, useMemo, useRef, useState } from 'react'
import { Button } from './button.tsx'
import './toast.css'

/** A button beside the text. */
export interface ToastAction {
  readonly label: string
  readonly run: () => void
}

interface Toast {
  readonly id: number
  readonly text: string
  readonly action?: ToastAction
}

/** Says something shortly, and may offer to do something about it; a bare function takes it back. */
type ShowToast = (text: string, action?: ToastAction | (() => void)) => void

const SHOWN_MS = 7_000
const Context = createContext<ShowToast>(() => {})

export const useToast = (): ShowToast => useContext(Context)

export function ToastProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly Toast[]>([])
  const next = useRef(1)
  const show = useMemo<ShowToast>(
    () => (text, given) => {
      const action = typeof given === 'function' ? { label: 'Undo', run: given } : given
      const id = next.current++
      setToasts((all) => [...all, { id, text, ...(action ? { action } : {}) }])
      setTimeout(() => setToasts((all) => all.filter((toast) => toast.id !== id)), SHOWN_MS)
    },
    [],
  )
  const dismiss = (id: number) => setToasts((all) => all.filter((toast) => toast.id !== id))
  return (
    <Context.Provider value={show}>
      {children}
      <div className="toasts" role="status" aria-live="polite">
        {toasts.map(({ id, text, action }) => (
          <div key={id} className="toast">
            {text}
            {action ? (
              <Button
                onClick={() => {
                  dismiss(id)
                  action.run()
                }}
              >
                {action.label}
              </Button>
            ) : null}
          </div>
        ))}
      </div>
    </Context.Provider>
  )
}
