import { Page } from '../../ui/page.tsx'
import { RangeSelect } from '../../ui/range-select.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { useQueryState, useRange } from '../../ui/time-range.ts'
import { ColumnMenu } from './column-menu.tsx'
import { ExportTraces } from './export-traces.tsx'
import { SavedViews } from './saved-views.tsx'
import { SessionList } from './session-list.tsx'
import { TraceFilters } from './trace-filters.tsx'
import { TraceList } from './trace-list.tsx'
import { UsageStrip } from './usage-strip.tsx'

/** Everything that applications have sent: traces and conversations, and what they took. */
export default function TracesPage() {
  const [address, change] = useQueryState()
  const [range] = useRange()
  const view = address.get('view') === 'sessions' ? 'sessions' : 'traces'
  return (
    <Page
      title="Traces"
      lead="Requests of your applications, with their scores."
      actions={<RangeSelect value={range} onChange={(next) => change({ range: next, cursor: undefined })} />}
    >
      <UsageStrip range={range} />
      <Tabs
        label="List"
        selected={view}
        onSelect={(next) => change({ view: next === 'traces' ? undefined : next, cursor: undefined })}
        tabs={[
          {
            id: 'traces',
            title: 'Traces',
            content: (
              <div className="stack">
                <div className="spread">
                  <SavedViews />
                  <div className="row">
                    <ColumnMenu />
                    <ExportTraces range={range} />
                  </div>
                </div>
                <TraceFilters range={range} />
                <TraceList range={range} />
              </div>
            ),
          },
          { id: 'sessions', title: 'Sessions', content: <SessionList range={range} /> },
        ]}
      />
    </Page>
  )
}
