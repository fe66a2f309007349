import { Button } from '../../ui/button.tsx'

interface RowButtonsProps {
  /** The row that the buttons act on, for screen readers. */
  readonly what: string
  readonly isFirst: boolean
  readonly isLast: boolean
  readonly mayRemove: boolean
  readonly onMove: (step: -1 | 1) => void
  readonly onRemove: () => void
}

/** Moves or removes one row of a list. A button that cannot be used stays in its place, so that the focus does too. */
export function RowButtons({ what, isFirst, isLast, mayRemove, onMove, onRemove }: RowButtonsProps) {
  return (
    <div className="judge-row-buttons">
      <Button
        variant="quiet"
        aria-label={`Move ${what} up`}
        aria-disabled={isFirst}
        onClick={() => (isFirst ? undefined : onMove(-1))}
      >
        ↑
      </Button>
      <Button
        variant="quiet"
        aria-label={`Move ${what} down`}
        aria-disabled={isLast}
        onClick={() => (isLast ? undefined : onMove(1))}
      >
        ↓
      </Button>
      <Button variant="quiet" aria-label={`Remove ${what}`} disabled={!mayRemove} onClick={onRemove}>
        ✕
      </Button>
    </div>
  )
}
