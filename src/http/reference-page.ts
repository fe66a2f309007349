import type { Json, OpenApiDocument, OpenApiOperation } from './openapi-document.ts'

/** The reference for people: one page without scripts, made from the same document that machines read. */
export function renderReference(document: OpenApiDocument): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      operation: withResponses(operation, document),
    })),
  )
  const groups = document.tags.map(({ name }) => ({
    name,
    operations: operations.filter(({ operation }) => operation.tags.includes(name)),
  }))
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(document.info.title)} reference</title>
<style>${STYLE}</style>
</head>
<body>
<nav aria-label="Operations">
<strong>${escapeHtml(document.info.title)}</strong>
${groups.map(renderNavGroup).join('\n')}
<p><a href="#schemas">Schemas</a></p>
<p><a href="openapi.json">openapi.json</a></p>
</nav>
<main>
<h1>${escapeHtml(document.info.title)} <small>${escapeHtml(document.info.version)}</small></h1>
<p>${prose(document.info.description)} Every request but the public ones carries <code>Authorization: Bearer &lt;API key&gt;</code>.
Every error is answered as <code>{"error": "..."}</code>.</p>
${groups.map(renderGroup).join('\n')}
<h2 id="schemas">Schemas</h2>
${Object.entries(document.components.schemas).map(renderSchema).join('\n')}
</main>
</body>
</html>
`
}

/** The operation with its answers written out. */
function withResponses(operation: OpenApiOperation, { components }: OpenApiDocument): OpenApiOperation {
  const written = Object.entries(operation.responses).map(([status, response]) => {
    const name =
      String(response['$ref'] ?? '')
        .split('/')
        .at(-1) ?? ''
    return [status, components.responses[name] ?? response]
  })
  return { ...operation, responses: Object.fromEntries(written) }
}

interface Listed {
  readonly path: string
  readonly method: string
  readonly operation: OpenApiOperation
}

interface Group {
  readonly name: string
  readonly operations: readonly Listed[]
}

function renderNavGroup({ name, operations }: Group): string {
  const items = operations.map(
    ({ operation }) =>
      `<li><a href="#${escapeHtml(operation.operationId)}">${escapeHtml(operation.summary)}</a></li>`,
  )
  return `<p>${escapeHtml(name)}</p><ul>${items.join('')}</ul>`
}

function renderGroup({ name, operations }: Group): string {
  return `<h2>${escapeHtml(name)}</h2>\n${operations.map(renderOperation).join('\n')}`
}

function renderOperation({ path, method, operation }: Listed): string {
  return `<section id="${escapeHtml(operation.operationId)}">
<h3><span class="method ${method.toLowerCase()}">${method}</span> <code>${escapeHtml(path)}</code></h3>
<p><b>${escapeHtml(operation.summary)}.</b> ${prose(operation.description ?? '')}</p>
${renderParameters(operation)}${renderContent('Body', operation.requestBody)}
<table><caption>Answers</caption><tbody>
${Object.entries(operation.responses).map(renderResponse).join('\n')}
</tbody></table>
</section>`
}

function renderParameters({ parameters }: OpenApiOperation): string {
  if (!parameters) return ''
  const rows = parameters.map(
    (parameter) =>
      `<tr><td><code>${escapeHtml(parameter['name'])}</code></td><td>${escapeHtml(parameter['in'])}</td>` +
      `<td>${typeText(parameter['schema'] as Json)}</td><td>${prose(parameter['description'])}</td></tr>`,
  )
  return `<table><caption>Parameters</caption><tbody>${rows.join('\n')}</tbody></table>`
}

function renderContent(title: string, holder: Json | undefined): string {
  const schema = schemaOf(holder)
  return schema ? `<p>${title}: ${typeText(schema)}</p>${renderProperties(schema)}` : ''
}

function renderResponse([status, response]: [string, Json]): string {
  const schema = schemaOf(response)
  return `<tr><td>${escapeHtml(status)}</td><td>${prose(response['description'])}</td><td>${schema ? typeText(schema) : ''}</td></tr>`
}

function renderSchema([name, schema]: [string, Json]): string {
  return `<section id="schema-${escapeHtml(name)}"><h3>${escapeHtml(name)}</h3>${renderProperties(schema) || typeText(schema)}</section>`
}

function renderProperties(schema: Json): string {
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Json>)
  if (properties.length === 0) return ''
  const required = (schema['required'] ?? []) as string[]
  const rows = properties.map(
    ([name, property]) =>
      `<tr><td><code>${escapeHtml(name)}</code>${required.includes(name) ? ' <em>required</em>' : ''}</td>` +
      `<td>${typeText(property)}</td><td>${prose(property['description'])}</td></tr>`,
  )
  return `<table><tbody>${rows.join('\n')}</tbody></table>`
}

function schemaOf(holder: Json | undefined): Json | undefined {
  const content = holder?.['content'] as Record<string, { schema?: Json }> | undefined
  return content?.['application/json']?.schema
}

/** A schema in a few words, with links to the named ones. */
function typeText(schema: Json): string {
  const reference = schema['$ref']
  if (typeof reference === 'string') {
    const name = escapeHtml(reference.split('/').at(-1))
    return `<a href="#schema-${name}">${name}</a>`
  }
  const choices = schema['anyOf'] as Json[] | undefined
  if (choices) return choices.map(typeText).join(' or ')
  const values = schema['enum'] as unknown[] | undefined
  if (values) return values.map((value) => `<code>${escapeHtml(value)}</code>`).join(', ')
  if (schema['type'] === 'array') return `array of ${typeText((schema['items'] ?? {}) as Json)}`
  if (schema['const'] !== undefined) return `<code>${escapeHtml(schema['const'])}</code>`
  return escapeHtml(schema['type'] ?? 'any')
}

/** Escaped text in which `code` between backticks is set as code. */
function prose(text: unknown): string {
  return escapeHtml(text ?? '').replaceAll(/`([^`]+)`/g, '<code>$1</code>')
}

function escapeHtml(text: unknown): string {
  return String(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { margin: 0; display: grid; grid-template-columns: minmax(14rem, 18rem) minmax(0, 1fr) }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1.5rem; box-sizing: border-box; font-size: .875rem; border-right: 1px solid #8884 }
nav ul { margin: 0 0 .75rem; padding-left: 1rem } nav p { margin: .75rem 0 .25rem; font-weight: 600 }
main { padding: 1.5rem 2rem 4rem; max-width: 60rem }
section { border-top: 1px solid #8884; padding: .5rem 0 1rem }
h3 { margin: .5rem 0; overflow-wrap: anywhere } h1 small { font-weight: 400; opacity: .7 }
table { border-collapse: collapse; width: 100%; font-size: .875rem; margin: .5rem 0 }
caption { text-align: left; font-weight: 600 } td { border-top: 1px solid #8883; padding: .3rem .6rem .3rem 0; vertical-align: top }
code { font: .875em ui-monospace, monospace } em { font-size: .75rem; opacity: .8 }
a { color: light-dark(#0b57d0, #a8c7fa) }
.method { font: 700 .75rem ui-monospace, monospace; padding: .15rem .4rem; border-radius: .25rem; background: #8883 }
.get { background: #2a7a4333 } .post { background: #0b57d033 } .put, .patch { background: #b0600033 } .delete { background: #c5221f33 }
@media (max-width: 45rem) { body { display: block } nav { position: static; height: auto; border: 0 } main { padding: 1rem } }
`
