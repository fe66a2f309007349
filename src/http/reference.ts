import type { OpenApiDocument } from './openapi-document.ts'
import { renderReference } from './reference-page.ts'
import { StaticFile } from './static-file.ts'

/** The description of the interface, for programs and for people. */
export interface Reference {
  document(): StaticFile
  page(): StaticFile
}

/**
 * Renders each form once, when first asked for: rendering takes milliseconds and needs no key, so doing it for every request
 * would let anybody keep the process busy. Most starts are not followed by a look at the documentation.
 */
export function createReference(build: () => OpenApiDocument): Reference {
  let built: OpenApiDocument | undefined
  let document: StaticFile | undefined
  let page: StaticFile | undefined
  const read = () => (built ??= build())
  return {
    document: () =>
      (document ??= new StaticFile('application/json; charset=utf-8', Buffer.from(JSON.stringify(read())))),
    page: () => (page ??= new StaticFile('text/html; charset=utf-8', Buffer.from(renderReference(read())))),
  }
}
