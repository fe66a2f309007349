import type { EvaluatedParts } from './evaluated-parts.ts'
import type { JsonObject } from './json-value.ts'
import type { Run } from './run.ts'

/** The drafts we know, by year where the draft has one, so that they can be compared. */
export type Draft = 4 | 6 | 7 | 2019 | 2020

/**
 * A compiled schema or keyword. `seen` is there only when an unevaluatedItems or unevaluatedProperties further out wants
 * to know which parts of this value were looked at; what it holds after a `false` is meaningless.
 */
export type Check = (value: unknown, run: Run, seen: EvaluatedParts | undefined) => boolean

/** The groups of keywords that a metaschema of 2019-09 or later can leave out. */
export type Vocabulary =
  | 'core'
  | 'applicator'
  | 'unevaluated'
  | 'validation'
  | 'meta-data'
  | 'format'
  | 'content'

/** How a keyword holds subschemas. `mapOrNames` is `dependencies`: each value is a schema or a list of names. */
export type Holds = 'one' | 'list' | 'oneOrList' | 'map' | 'mapOrNames'

/** A fault in a keyword's value: its place below the keyword (a JSON Pointer), and the required form. */
export interface ShapeFault {
  readonly path: string
  readonly must: string
}

/** Says what is wrong with a keyword's value, or nothing when it is well formed. Subschemas are looked at elsewhere. */
export type Shape = (value: unknown, draft: Draft) => ShapeFault | undefined

/** One keyword of the standard in the drafts `from` to `until`. */
export interface Keyword {
  readonly name: string
  readonly vocabulary: Vocabulary
  readonly shape: Shape
  readonly from?: Draft
  readonly until?: Draft
  readonly holds?: Holds
  /** Turns a well-formed value into a check; keywords that only annotate have none. */
  readonly compile?: (site: Site, value: unknown) => Check | undefined
  /** Runs after all other keywords of its schema, because it asks what they have evaluated. */
  readonly isLast?: boolean
}

/** Which keywords count in a schema and what they mean. */
export interface Dialect {
  readonly draft: Draft
  readonly idKeyword: 'id' | '$id'
  /** In the order in which they are checked: cheap ones first. */
  readonly keywords: ReadonlyMap<string, Keyword>
}

/** A schema with a URI of its own: a whole document, or a part of one that has an `$id`. */
export interface Resource {
  /** Absolute, or empty for a document without `$id`; never with a fragment. */
  readonly uri: string
  readonly dialect: Dialect
  readonly root: JsonObject
  readonly anchors: Map<string, SchemaNode>
  /** By name. `$recursiveAnchor: true` of 2019-09 is the one without a name: it does the same for `$recursiveRef: "#"`. */
  readonly dynamicAnchors: Map<string, SchemaNode>
}

/** A schema object at its place. */
export interface SchemaNode {
  readonly schema: JsonObject
  /** JSON Pointer from the root of the document, for messages. */
  readonly pointer: string
  /** How many schemas lie around it in its document. */
  readonly depth: number
  readonly resource: Resource
  readonly isResourceRoot: boolean
  /** Schemas that this one applies to the very same value: a cycle of these would never end. */
  readonly appliesInPlace: SchemaNode[]
  /** Undefined until it is compiled. References look it up at run time, which is what makes recursion possible. */
  check: Check | undefined
}

/** Where a `$ref` leads: a schema object, or `true` or `false`, which need no place. */
export type Target = SchemaNode | boolean

/**
 * The questions that a keyword may ask while it is compiled. Paths are JSON Pointers below the schema that holds the
 * keyword.
 */
export interface Site {
  readonly draft: Draft
  readonly node: SchemaNode
  /** The value of another keyword of the same schema, if this dialect knows that keyword. */
  sibling(keyword: string): unknown
  /** A subschema that is applied to a part of the value. */
  inside(schema: unknown): Check
  /** A subschema that is applied to the same value. */
  inPlace(schema: unknown): Check
  /** The schema that a reference in this schema points to. Throws a 400 that names the URI when there is none. */
  resolve(keyword: string, reference: string): Target
  /** A test for a pattern; a bad or slow one is a 400 that names its place. */
  pattern(source: string, path: string): (text: string) => boolean
  /** A 400 that names a place in the schema. */
  fault(path: string, problem: string): Error
}
