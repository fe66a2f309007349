import { defineRoute } from '../../route.ts'

export const docsRoute = defineRoute({
  method: 'GET',
  path: '/docs',
  operationId: 'getReference',
  tag: 'Operation',
  summary: 'This interface as a page for people',
  access: 'public',
  success: { status: 200, description: 'The page.', contentType: 'text/html; charset=utf-8' },
  async handle({ setHeader }, { reference }) {
    // The page needs no script and loads nothing: its own style is all it may use.
    setHeader(
      'content-security-policy',
      "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    )
    return reference.page()
  },
})
