import { Tab, TabList, TabPanel, TabProvider } from '@ariakit/react'
import type { ReactNode } from 'react'
import './tabs.css'

interface TabsProps {
  readonly label: string
  readonly selected: string
  readonly onSelect: (id: string) => void
  readonly tabs: readonly { readonly id: string; readonly title: ReactNode; readonly content: ReactNode }[]
}

export function Tabs({ label, selected, onSelect, tabs }: TabsProps) {
  return (
    <TabProvider selectedId={selected} setSelectedId={(id) => id && onSelect(id)}>
      <TabList className="tab-list" aria-label={label}>
        {tabs.map(({ id, title }) => (
          <Tab key={id} id={id} className="tab">
            {title}
          </Tab>
        ))}
      </TabList>
      {tabs.map(({ id, content }) => (
        <TabPanel key={id} tabId={id} className="tab-panel" unmountOnHide>
          {content}
        </TabPanel>
      ))}
    </TabProvider>
  )
}
