import { Dialog as AriaDialog, DialogDismiss, DialogHeading } from '@ariakit/react'
import type { ReactNode } from 'react'
import './dialog.css'
import { Icon } from './icon.tsx'

interface DialogProps {
  readonly title: string
  readonly isOpen: boolean
  readonly onClose: () => void
  /** `side` comes in from the right and leaves the page visible beside it. */
  readonly placement?: 'middle' | 'side'
  readonly children: ReactNode
}

/** Something that wants an answer, or details of what was clicked. Escape closes it and the focus goes back. */
export function Dialog({ title, isOpen, onClose, placement = 'middle', children }: DialogProps) {
  return (
    <AriaDialog
      open={isOpen}
      onClose={onClose}
      preventBodyScroll={false}
      unmountOnHide
      backdrop={<div className="dialog-backdrop" />}
      className={`dialog dialog-${placement}`}
    >
      <div className="dialog-head">
        <DialogHeading className="dialog-title">{title}</DialogHeading>
        <DialogDismiss className="button button-quiet" aria-label="Close">
          <Icon name="close" />
        </DialogDismiss>
      </div>
      {children}
    </AriaDialog>
  )
}
