import { useDeferredValue, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { ButtonLink } from '../../ui/button-link.tsx'
import { EmptyState, ErrorNote, LoadingTable } from '../../ui/feedback.tsx'
import { Select, TextInput } from '../../ui/field.tsx'
import { formatCount } from '../../ui/format.ts'
import { Card, Page } from '../../ui/page.tsx'
import { SendSpans } from '../../ui/send-spans.tsx'
import { useQueryState } from '../../ui/time-range.ts'
import { ExportSetups } from './export-setups.tsx'
import { ImportDialog } from './import-dialog.tsx'
import type { Setup } from './setup-definition.ts'
import { useSetupNamed, useSetups } from './setup-queries.ts'
import { SETUP_STATUSES } from './setup-status-words.ts'
import { SetupsTable } from './setups-table.tsx'
import './setups-page.css'

const STATUS_OPTIONS = [{ value: '', label: 'All states' }, ...SETUP_STATUSES]

export default function SetupsPage() {
  const [isImporting, setImporting] = useState(false)
  return (
    <Page
      title="Setups"
      lead="A setup chooses spans and the evaluators that look at them."
      actions={
        <>
          <ButtonLink to="/suggestions">Suggestions</ButtonLink>
          <ExportSetups />
          <Button onClick={() => setImporting(true)}>Import</Button>
          <ButtonLink to="/setups/new" variant="primary">
            New setup
          </ButtonLink>
        </>
      }
    >
      <SetupList />
      <ImportDialog isOpen={isImporting} onClose={() => setImporting(false)} />
    </Page>
  )
}

function SetupList() {
  const [query, change] = useQueryState()
  const status = query.get('status') ?? undefined
  const text = query.get('q') ?? ''
  const { setups, list } = useFoundSetups(status, text)
  if (list.error && !list.data) return <ErrorNote error={list.error} onRetry={() => void list.refetch()} />
  const isEmpty = list.data?.pages[0]?.setups.length === 0 && status === undefined
  if (isEmpty) return <FirstSetup />
  return (
    <Card>
      <div className="row setups-filters">
        <TextInput
          type="search"
          className="setups-search"
          aria-label="Search by name"
          placeholder="Search by name"
          value={text}
          onChange={(event) => change({ q: event.target.value })}
        />
        <Select
          aria-label="State"
          value={status ?? ''}
          options={STATUS_OPTIONS}
          onChange={(event) => change({ status: event.target.value })}
        />
      </div>
      {setups === undefined ? <LoadingTable columns={4} /> : <Found setups={setups} />}
      {list.hasNextPage ? (
        <div className="setups-more">
          {text ? (
            <span className="quiet small">
              Only setups that are loaded are searched, and the one of exactly this name.
            </span>
          ) : null}
          <Button isBusy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            Load more
          </Button>
        </div>
      ) : null}
    </Card>
  )
}

/** The loaded setups that contain the text, and the one of exactly this name even if it is not loaded. */
function useFoundSetups(status: string | undefined, text: string) {
  const list = useSetups(status)
  const settledText = useDeferredValue(text.trim())
  const named = useSetupNamed(settledText, list.hasNextPage === true)
  const loaded = list.data?.pages.flatMap(({ setups }) => setups)
  const found = loaded?.filter(({ external_id }) =>
    external_id.toLowerCase().includes(settledText.toLowerCase()),
  )
  const isNew = (setup: Setup) => !found?.some(({ id }) => id === setup.id)
  const elsewhere = (settledText ? (named.data ?? []) : []).filter(
    (setup) => isNew(setup) && (status === undefined || setup.status === status),
  )
  return { list, setups: found && [...elsewhere, ...found] }
}

function Found({ setups }: { setups: readonly Setup[] }) {
  return (
    <>
      <p className="visually-hidden" role="status">
        {formatCount(setups.length, 'setup')}
      </p>
      <SetupsTable setups={setups} />
    </>
  )
}

function FirstSetup() {
  return (
    <>
      <Card>
        <EmptyState title="No setups yet">
          A setup says which spans are evaluated, and by which evaluators. Each evaluator becomes a monitor
          that scores every matching span as it arrives.
          <p className="setups-first">
            <ButtonLink to="/suggestions" variant="primary">
              Start from your traces
            </ButtonLink>
            <ButtonLink to="/setups/new">Create the first setup</ButtonLink>
          </p>
        </EmptyState>
      </Card>
      <Card title="Send spans to this server">
        <SendSpans />
      </Card>
    </>
  )
}
