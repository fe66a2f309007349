import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { downloadExport } from '../../ui/download-export.ts'
import { useToast } from '../../ui/toast.tsx'
import { type EvaluationsChoice, exportQuery } from './monitor-queries.ts'

/** Takes what is listed home, all pages of it. */
export function ExportButtons({ monitorId, choice }: { monitorId: string; choice: EvaluationsChoice }) {
  const [isBusy, setBusy] = useState(false)
  const toast = useToast()
  const save = async (format: 'csv' | 'jsonl') => {
    setBusy(true)
    try {
      const query = exportQuery(monitorId, choice, format)
      await downloadExport(`/v2/evaluations/export?${query}`, `evaluations-${monitorId}.${format}`)
    } catch (error) {
      toast((error as Error).message)
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <Button isBusy={isBusy} onClick={() => void save('csv')}>
        Export CSV
      </Button>
      <Button isBusy={isBusy} onClick={() => void save('jsonl')}>
        Export JSON
      </Button>
    </>
  )
}
