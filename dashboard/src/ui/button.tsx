import type { ButtonHTMLAttributes, ReactNode } from 'react'
import './button.css'

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly variant?: 'primary' | 'plain' | 'quiet' | 'danger'
  /** Something that was begun by it is not done yet. */
  readonly isBusy?: boolean
  readonly children: ReactNode
}

export function Button({
  variant = 'plain',
  isBusy = false,
  className = '',
  disabled,
  children,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      className={`button button-${variant} ${className}`}
      disabled={disabled || isBusy}
      aria-busy={isBusy || undefined}
      {...rest}
    >
      {children}
    </button>
  )
}
