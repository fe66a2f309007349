import { ApiError } from '../api/client.ts'
import { readKey } from '../api/key.ts'

/** Saves the answer of an export as a file. A plain link could not carry the key in a header, and an address is no place for it. */
export async function downloadExport(path: `/v2/${string}`, name: string): Promise<void> {
  const answer = await fetch(path, { headers: { authorization: `Bearer ${readKey() ?? ''}` } }).catch(() => {
    throw new ApiError(0, 'The server cannot be reached. Is it running?')
  })
  if (!answer.ok)
    throw new ApiError(answer.status, `The export failed: the server answered ${answer.status}.`)
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await answer.blob())
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}
