import { useQuery } from '@tanstack/react-query'
import { ApiError } from '../../api/client.ts'
import { readKey } from '../../api/key.ts'
import type { TraceSpan } from './trace-types.ts'

type SpanImage = TraceSpan['images'][number]

/** Images that were in the prompt of a span. */
export function SpanImages({ images }: { images: readonly SpanImage[] }) {
  if (images.length === 0) return null
  return (
    <section className="stack">
      <h3>Images</h3>
      <ul className="span-images">
        {images.map((image) => (
          <li key={image.path}>
            <OneImage image={image} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function OneImage({ image }: { image: SpanImage }) {
  const { data, error } = useQuery({
    queryKey: ['span image', image.path],
    queryFn: () => readImage(image.path),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <figure>
      {data === undefined ? null : <img src={data} alt={image.name} />}
      <figcaption className="quiet small">
        {error ? `${image.name} cannot be shown: ${error.message}` : image.name}
      </figcaption>
    </figure>
  )
}

/** The image as an address that holds it: an element cannot send the key along. */
async function readImage(path: string): Promise<string> {
  const response = await fetch(path, { headers: { authorization: `Bearer ${readKey() ?? ''}` } })
  if (!response.ok) throw new ApiError(response.status, `the server answered ${response.status}`)
  const image = await response.blob()
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(new Error('it could not be read'))
    reader.readAsDataURL(image)
  })
}
