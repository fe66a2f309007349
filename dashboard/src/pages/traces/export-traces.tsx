import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { downloadExport } from '../../ui/download-export.ts'
import { type RangeName, useQueryState } from '../../ui/time-range.ts'
import { useToast } from '../../ui/toast.tsx'
import { traceQueryOf } from './trace-query.ts'

/** Saves everything that the filters leave, all pages of it, with previews and scores. */
export function ExportTraces({ range }: { range: RangeName }) {
  const [address] = useQueryState()
  const [busy, setBusy] = useState<'csv' | 'jsonl'>()
  const toast = useToast()
  const save = async (format: 'csv' | 'jsonl') => {
    setBusy(format)
    const { cursor: _, ...filter } = traceQueryOf(address, range)
    const query = new URLSearchParams({ ...(filter as Record<string, string>), format })
    try {
      await downloadExport(`/v2/traces/export?${query}`, `traces.${format}`)
    } catch (error) {
      toast((error as Error).message)
    } finally {
      setBusy(undefined)
    }
  }
  return (
    <>
      <Button isBusy={busy === 'csv'} onClick={() => void save('csv')}>
        Export CSV
      </Button>
      <Button isBusy={busy === 'jsonl'} onClick={() => void save('jsonl')}>
        Export JSONL
      </Button>
    </>
  )
}
