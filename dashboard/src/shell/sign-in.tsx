import { type FormEvent, useState } from 'react'
import { ApiError } from '../api/client.ts'
import { keepKey } from '../api/key.ts'
import { Button } from '../ui/button.tsx'
import { Field, TextInput } from '../ui/field.tsx'
import './sign-in.css'

/** Asks for an API key and keeps it for this tab if the service knows it. */
export function SignIn() {
  const [key, setKey] = useState('')
  const [error, setError] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setError(undefined)
    try {
      await tryKey(key.trim())
      keepKey(key.trim())
    } catch (fault) {
      setError((fault as Error).message)
    } finally {
      setBusy(false)
    }
  }
  return (
    <main className="sign-in">
      <form className="card stack" onSubmit={(event) => void submit(event)}>
        <div className="row">
          <img src="/assets/icon.svg" alt="" width="28" height="28" />
          <h1>Assay</h1>
        </div>
        <Field
          label="API key"
          hint="Printed by the first start of the service and kept in its data directory, in the file api-key. It stays in this tab."
          error={error}
        >
          {(ids) => (
            <TextInput
              {...ids}
              type="password"
              name="api-key"
              autoFocus
              required
              value={key}
              onChange={(event) => setKey(event.target.value)}
            />
          )}
        </Field>
        <div className="spread">
          <Button type="submit" variant="primary" isBusy={isBusy}>
            Open the dashboard
          </Button>
          <a href="/docs">API reference</a>
        </div>
      </form>
    </main>
  )
}

async function tryKey(key: string): Promise<void> {
  // A header takes no other characters, and the browser's own message for that is of no help.
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new ApiError(0, 'A key has only visible ASCII characters, and no spaces.')
  const answer = await fetch('/v2/whoami', { headers: { authorization: `Bearer ${key}` } }).catch(() => {
    throw new ApiError(0, 'The server cannot be reached. Is it running?')
  })
  if (answer.status === 401) throw new ApiError(401, 'The service does not know this key.')
  if (!answer.ok) throw new ApiError(answer.status, `The server answered ${answer.status}.`)
}
