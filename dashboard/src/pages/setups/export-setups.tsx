import { Menu, MenuButton, MenuItem, MenuProvider } from '@ariakit/react'
import { useMutation } from '@tanstack/react-query'
import { useToast } from '../../ui/toast.tsx'
import { compact, definitionOf } from './setup-definition.ts'
import { readAllSetups } from './setup-queries.ts'

type Format = 'yaml' | 'json'

/** All setups as a file that the import and the bulk operation of the API take. */
export function ExportSetups() {
  const toast = useToast()
  const download = useMutation({ mutationFn: exportAll, onError: (error) => toast(error.message) })
  return (
    <MenuProvider>
      <MenuButton className="button button-plain" disabled={download.isPending}>
        Export
      </MenuButton>
      <Menu gutter={4} className="setups-menu">
        <MenuItem className="setups-menu-item" onClick={() => download.mutate('yaml')}>
          All as YAML
        </MenuItem>
        <MenuItem className="setups-menu-item" onClick={() => download.mutate('json')}>
          All as JSON
        </MenuItem>
      </Menu>
    </MenuProvider>
  )
}

async function exportAll(format: Format): Promise<void> {
  const setups = (await readAllSetups()).map((setup) => compact(definitionOf(setup)))
  const text = await toText({ setups }, format)
  const address = URL.createObjectURL(
    new Blob([text], { type: format === 'json' ? 'application/json' : 'application/yaml' }),
  )
  const link = document.createElement('a')
  link.href = address
  link.download = `setups.${format}`
  link.click()
  URL.revokeObjectURL(address)
}

async function toText(value: unknown, format: Format): Promise<string> {
  if (format === 'json') return `${JSON.stringify(value, undefined, 2)}\n`
  // Only who needs it loads it.
  const { stringify } = await import('yaml')
  return stringify(value)
}
