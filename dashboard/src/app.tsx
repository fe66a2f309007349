import { useQueryClient } from '@tanstack/react-query'
import { Suspense, useEffect } from 'react'
import { Redirect, Route, Switch } from 'wouter'
import { useKey } from './api/key.ts'
import { PAGES } from './pages.ts'
import { NotFoundPage } from './shell/not-found-page.tsx'
import { Shell } from './shell/shell.tsx'
import { SignIn } from './shell/sign-in.tsx'
import { Loading } from './ui/feedback.tsx'
import { ToastProvider } from './ui/toast.tsx'

export function App() {
  const key = useKey()
  const queries = useQueryClient()
  // A new key must not see data that was read with the one before.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the change of the key that ends what was shown.
  useEffect(() => () => queries.clear(), [key, queries])
  if (key === undefined) return <SignIn />
  return (
    <ToastProvider>
      <Shell>
        <Suspense
          fallback={
            <div className="page">
              <Loading lines={6} />
            </div>
          }
        >
          <Pages />
        </Suspense>
      </Shell>
    </ToastProvider>
  )
}

function Pages() {
  return (
    <Switch>
      {PAGES.map(({ path, Page: LatePage }) => (
        <Route key={path} path={path} component={LatePage} />
      ))}
      <Route path="/sessions">
        <Redirect to="/traces?view=sessions" />
      </Route>
      <Route>
        <NotFoundPage />
      </Route>
    </Switch>
  )
}
