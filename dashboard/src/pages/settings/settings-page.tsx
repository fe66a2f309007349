import { Page } from '../../ui/page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { useQueryState } from '../../ui/time-range.ts'
import { ApiKeys } from './api-keys.tsx'
import { Budgets } from './budgets.tsx'
import { DataSettings } from './data-settings.tsx'
import { Environments } from './environments.tsx'
import { Judges } from './judges.tsx'
import { LimitsSettings } from './limits.tsx'
import './settings.css'

const TABS = [
  { id: 'keys', title: 'API keys', content: <ApiKeys /> },
  { id: 'environments', title: 'Environments', content: <Environments /> },
  { id: 'judges', title: 'Judges', content: <Judges /> },
  { id: 'budgets', title: 'Budgets', content: <Budgets /> },
  { id: 'limits', title: 'Limits', content: <LimitsSettings /> },
  { id: 'data', title: 'Data', content: <DataSettings /> },
]

export default function SettingsPage() {
  const [query, change] = useQueryState()
  const selected = TABS.find(({ id }) => id === query.get('tab'))?.id ?? 'keys'
  return (
    <Page title="Settings" lead="Access, judges, budgets, limits and data of this project.">
      <div>
        <Tabs label="Settings" selected={selected} onSelect={(tab) => change({ tab })} tabs={TABS} />
      </div>
    </Page>
  )
}
