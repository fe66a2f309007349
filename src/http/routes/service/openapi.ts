import { defineRoute } from '../../route.ts'

export const openApiRoute = defineRoute({
  method: 'GET',
  path: '/openapi.json',
  operationId: 'getOpenApi',
  tag: 'Operation',
  summary: 'This interface as an OpenAPI 3.1 document',
  access: 'public',
  success: { status: 200, description: 'The document.', contentType: 'application/json; charset=utf-8' },
  async handle(_request, { reference }) {
    return reference.document()
  },
})
