import { crc32 } from 'node:zlib'
import type { RelationSlice } from '../../ports/verification-storage.ts'
import type { VerifyDb } from './verify-db.ts'

/** Name of the check, as a report shows it. */
export const IMAGES = 'images and checksums'

/** Images that one slice reads; each may be several megabytes. */
const IMAGES_AT_ONCE = 4

/** Compares images with the checksums that were made of them when they arrived. A damaged image cannot be repaired. */
export async function checkImages(db: VerifyDb, from: string | undefined): Promise<RelationSlice> {
  const [rows = []] = await db.read({
    sql: 'SELECT number, bytes, checksum FROM span_images WHERE number > $1 ORDER BY number LIMIT $2',
    values: [Number(from ?? 0), IMAGES_AT_ONCE],
  })
  const wrong = rows.filter((row) => crc32(row['bytes'] as Uint8Array) !== Number(row['checksum'])).length
  const last = rows.at(-1)?.['number']
  const hasMore = rows.length === IMAGES_AT_ONCE
  return { checked: rows.length, wrong, repaired: 0, ...(hasMore ? { next: String(last) } : {}) }
}
