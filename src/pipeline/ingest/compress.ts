import zlib from 'node:zlib'
import { ownedBytes } from './owned-bytes.ts'

/** Fast enough to keep up with incoming data, and most of the gain on text that repeats itself. */
const ZSTD_LEVEL = 1

/** The bytes compressed with zstd, in memory that can be handed to another thread. */
export function compress(bytes: Uint8Array): Uint8Array {
  const params = { [zlib.constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL }
  return ownedBytes(zlib.zstdCompressSync(bytes, { params }))
}
