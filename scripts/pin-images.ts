/** A name in a registry and the digest of one image under it: `registry.example/assay@sha256:` and 64 hex digits. */
const PINNED = /^[a-z0-9]+(?:[._:/-]+[a-z0-9]+)*@sha256:[0-9a-f]{64}$/
const IMAGE_LINE = /^(\s*(?:- )?image: )(\S+)(.*)$/gm

/** Whether an image is named by its digest, so that it can never become another one. */
export function isPinned(image: string): boolean {
  return PINNED.test(image)
}

/** A manifest or compose file with digests in place of names; `pins` has them by the name that stands there, without its tag. */
export function pinImages(text: string, pins: Readonly<Record<string, string>>): string {
  for (const [name, pin] of Object.entries(pins))
    if (!isPinned(pin))
      throw new Error(`the image for ${name} must be name@sha256:<64 hex digits>, not ${pin}`)
  return text
    .replace(IMAGE_LINE, (_line, before: string, image: string, rest: string) => {
      const pin = pins[nameOf(image)]
      return `${before}${pin ?? image}${rest}`
    })
    .replace(/^ *build: \.\n/gm, '')
}

/** The images of a file that are not named by a digest. */
export function unpinnedImages(text: string): string[] {
  const images = [...text.matchAll(IMAGE_LINE)].map(([, , image = '']) => image)
  return [...new Set(images.filter((image) => !isPinned(image)))]
}

/** Without the tag or the digest. */
function nameOf(image: string): string {
  return image.replace(/@.*$/, '').replace(/:[^/:]*$/, '')
}
