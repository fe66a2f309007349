import { useState } from 'react'
import { ApiError } from '../../api/client.ts'
import { readKey } from '../../api/key.ts'
import { Button } from '../../ui/button.tsx'
import { useToast } from '../../ui/toast.tsx'
import { type EvaluationsChoice, exportQuery } from './monitor-queries.ts'

/** Takes what is listed home, all pages of it. */
export function ExportButtons({ monitorId, choice }: { monitorId: string; choice: EvaluationsChoice }) {
  const [isBusy, setBusy] = useState(false)
  const toast = useToast()
  const save = async (format: 'csv' | 'jsonl') => {
    setBusy(true)
    try {
      download(
        await fetchExport(exportQuery(monitorId, choice, format)),
        `evaluations-${monitorId}.${format}`,
      )
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

// A plain link could not carry the key in a header, and an address is no place for it.
async function fetchExport(query: string): Promise<Blob> {
  const answer = await fetch(`/v2/evaluations/export?${query}`, {
    headers: { authorization: `Bearer ${readKey() ?? ''}` },
  }).catch(() => {
    throw new ApiError(0, 'The server cannot be reached. Is it running?')
  })
  if (!answer.ok)
    throw new ApiError(answer.status, `The export failed: the server answered ${answer.status}.`)
  return answer.blob()
}

function download(blob: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}
