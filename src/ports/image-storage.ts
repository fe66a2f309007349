import type { ImageType, SpanImage } from '../domain/span-image.ts'
import type { EnvironmentTenant, ProjectTenant } from '../domain/tenant.ts'

/** An image as a list tells of it, without its bytes. */
export interface StoredImage extends Omit<SpanImage, 'bytes'> {
  readonly byteLength: number
  readonly createdAtMs: number
}

/** Images of spans, confined to their tenant like everything else. They go with their trace, or when they are too old. */
export interface ImageStorage {
  /**
   * Keeps an image. One of the same name is not replaced: senders try again. An image of a trace that was deleted is not
   * kept, like its late spans. `full` when the span or its trace has as many as they may.
   */
  addImage(
    tenant: EnvironmentTenant,
    image: SpanImage,
    countsMax: { readonly perSpan: number; readonly perTrace: number },
    atMs: number,
  ): Promise<'kept' | 'full' | 'deleted'>
  /** The images of a trace in the order in which they came, without their bytes. */
  listImages(tenant: ProjectTenant, traceId: string): Promise<StoredImage[]>
  readImage(
    tenant: ProjectTenant,
    image: Pick<SpanImage, 'traceId' | 'spanId' | 'name'>,
  ): Promise<{ readonly type: ImageType; readonly bytes: Uint8Array } | undefined>
}
