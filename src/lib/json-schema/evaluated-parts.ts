/**
 * Which items and properties of one value the schemas applied to it have looked at: the annotations that
 * unevaluatedItems and unevaluatedProperties ask for, and nothing more.
 */
export interface EvaluatedParts {
  allProperties: boolean
  allItems: boolean
  /** All items before this index. */
  itemsBefore: number
  properties: Set<string> | undefined
  items: Set<number> | undefined
}

/** Nothing looked at yet. */
export function noParts(): EvaluatedParts {
  return { allProperties: false, allItems: false, itemsBefore: 0, properties: undefined, items: undefined }
}

/** Notes that a property was looked at. */
export function addProperty(parts: EvaluatedParts, name: string): void {
  parts.properties ??= new Set()
  parts.properties.add(name)
}

/** Notes that an item was looked at. */
export function addItem(parts: EvaluatedParts, index: number): void {
  parts.items ??= new Set()
  parts.items.add(index)
}

/** Notes that all items before an index were looked at. */
export function addItemsBefore(parts: EvaluatedParts, end: number): void {
  if (end > parts.itemsBefore) parts.itemsBefore = end
}

/** True when the property was looked at. */
export function hasProperty(parts: EvaluatedParts, name: string): boolean {
  return parts.allProperties || parts.properties?.has(name) === true
}

/** True when the item was looked at. */
export function hasItem(parts: EvaluatedParts, index: number): boolean {
  return parts.allItems || index < parts.itemsBefore || parts.items?.has(index) === true
}

/** Adds what a branch that succeeded has looked at. */
export function mergeParts(into: EvaluatedParts, from: EvaluatedParts): void {
  into.allProperties ||= from.allProperties
  into.allItems ||= from.allItems
  addItemsBefore(into, from.itemsBefore)
  if (from.properties) for (const name of from.properties) addProperty(into, name)
  if (from.items) for (const index of from.items) addItem(into, index)
}
