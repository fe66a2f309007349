import type { SchemaNode } from './schema-model.ts'

/**
 * A schema that leads back to itself without ever going into the value, like `{"$ref": "#"}`, or undefined. The standard
 * leaves the meaning of such schemas open; checking a value against one would never end. Without recursion: a chain of
 * references can be as long as the document.
 */
export function findEndlessSchema(nodes: Iterable<SchemaNode>): SchemaNode | undefined {
  const finished = new Set<SchemaNode>()
  for (const start of nodes) {
    const onPath = new Set<SchemaNode>()
    const stack = [start]
    while (stack.length > 0) {
      const node = stack.at(-1) as SchemaNode
      if (finished.has(node)) {
        stack.pop()
      } else if (onPath.has(node)) {
        // Everything that was pushed above it is finished.
        finished.add(node)
        onPath.delete(node)
        stack.pop()
      } else {
        onPath.add(node)
        for (const next of node.appliesInPlace) {
          if (onPath.has(next)) return next
          if (!finished.has(next)) stack.push(next)
        }
      }
    }
  }
  return undefined
}
