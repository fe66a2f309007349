import { forgetKey } from '../api/key.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { density, theme, titleOf } from './appearance.ts'
import { useWhoami } from './use-whoami.ts'

/** The project that the key belongs to, and the choices of this browser. */
export function Account({ onShortcuts }: { onShortcuts: () => void }) {
  const whoami = useWhoami()
  return (
    <div className="account">
      {whoami.data ? (
        <p className="small account-project">
          <strong>{whoami.data.project.name}</strong>
          <br />
          <span className="quiet">
            {whoami.data.org_name} · {whoami.data.environment}
          </span>
        </p>
      ) : null}
      <div className="account-choices">
        <ThemeButton />
        <DensityButton />
        <Button variant="quiet" className="account-shortcuts" onClick={onShortcuts}>
          <Icon name="keyboard" />
          Shortcuts
        </Button>
        <Button variant="quiet" onClick={forgetKey}>
          <Icon name="sign-out" />
          <span className="shell-words">Sign out</span>
        </Button>
      </div>
    </div>
  )
}

function ThemeButton() {
  const chosen = theme.use()
  return (
    <Button variant="quiet" title={`Change to ${theme.next()}`} onClick={() => theme.keep(theme.next())}>
      <Icon name={chosen} />
      {`Theme: ${titleOf(chosen)}`}
    </Button>
  )
}

function DensityButton() {
  const chosen = density.use()
  return (
    <Button
      variant="quiet"
      className="account-density"
      title={`Change to ${density.next()}`}
      onClick={() => density.keep(density.next())}
    >
      <Icon name={chosen} />
      {`Rows: ${titleOf(chosen)}`}
    </Button>
  )
}
