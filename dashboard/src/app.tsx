import { useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useEffect } from 'react'
import { Redirect, Route, Switch } from 'wouter'
import { useKey } from './api/key.ts'
import { Shell } from './shell/shell.tsx'
import { SignIn } from './shell/sign-in.tsx'
import { EmptyState, Loading } from './ui/feedback.tsx'
import { Page } from './ui/page.tsx'
import { ToastProvider } from './ui/toast.tsx'

// Each page is loaded when it is first opened.
const OverviewPage = lazy(() => import('./pages/overview/overview-page.tsx'))
const SetupsPage = lazy(() => import('./pages/setups/setups-page.tsx'))
const SetupEditorPage = lazy(() => import('./pages/setups/setup-editor-page.tsx'))
const MonitorsPage = lazy(() => import('./pages/monitors/monitors-page.tsx'))
const MonitorPage = lazy(() => import('./pages/monitors/monitor-page.tsx'))
const EvaluationPage = lazy(() => import('./pages/monitors/evaluation-page.tsx'))
const TracesPage = lazy(() => import('./pages/traces/traces-page.tsx'))
const TracePage = lazy(() => import('./pages/traces/trace-page.tsx'))
const SessionPage = lazy(() => import('./pages/traces/session-page.tsx'))
const EvaluatorsPage = lazy(() => import('./pages/evaluators/evaluators-page.tsx'))
const EvaluatorPage = lazy(() => import('./pages/evaluators/evaluator-page.tsx'))
const EvaluatorEditorPage = lazy(() => import('./pages/evaluators/evaluator-editor-page.tsx'))
const SettingsPage = lazy(() => import('./pages/settings/settings-page.tsx'))

export function App() {
  const key = useKey()
  const queries = useQueryClient()
  // What one key may see is not shown to the next.
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
      <Route path="/" component={OverviewPage} />
      <Route path="/setups" component={SetupsPage} />
      <Route path="/setups/new" component={SetupEditorPage} />
      <Route path="/setups/:externalId" component={SetupEditorPage} />
      <Route path="/monitors" component={MonitorsPage} />
      <Route path="/monitors/:id" component={MonitorPage} />
      <Route path="/evaluations/:id" component={EvaluationPage} />
      <Route path="/traces" component={TracesPage} />
      <Route path="/traces/:traceId" component={TracePage} />
      <Route path="/sessions">
        <Redirect to="/traces?view=sessions" />
      </Route>
      <Route path="/sessions/:sessionId" component={SessionPage} />
      <Route path="/evaluators" component={EvaluatorsPage} />
      <Route path="/evaluators/new" component={EvaluatorEditorPage} />
      <Route path="/evaluators/:slug" component={EvaluatorPage} />
      <Route path="/evaluators/:slug/edit" component={EvaluatorEditorPage} />
      <Route path="/settings" component={SettingsPage} />
      <Route>
        <Page title="Not found">
          <EmptyState title="There is nothing at this address.">Choose a page on the left.</EmptyState>
        </Page>
      </Route>
    </Switch>
  )
}
