import * as shape from './keyword-shapes.ts'
import * as arrays from './keywords-array.ts'
import * as logic from './keywords-logic.ts'
import * as members from './keywords-members.ts'
import * as objects from './keywords-object.ts'
import * as references from './keywords-reference.ts'
import * as values from './keywords-value.ts'
import type { Keyword } from './schema-model.ts'

const core = { vocabulary: 'core' } as const
const validation = { vocabulary: 'validation' } as const
const applicator = { vocabulary: 'applicator' } as const
const unevaluated = { vocabulary: 'unevaluated', isLast: true } as const
const metadata = { vocabulary: 'meta-data' } as const
const content = { vocabulary: 'content' } as const

/**
 * Every keyword of drafts 4 to 2020-12 in the order in which a schema checks them: cheap assertions before subschemas.
 * A name stands here twice where its form changed between drafts.
 */
export const KEYWORDS: readonly Keyword[] = [
  { ...core, name: '$schema', shape: shape.text },
  { ...core, name: 'id', shape: shape.identifier, until: 4 },
  { ...core, name: '$id', shape: shape.identifier, from: 6 },
  { ...core, name: '$comment', shape: shape.text, from: 7 },
  { ...core, name: '$vocabulary', shape: shape.flagsByName, from: 2019 },
  { ...core, name: '$anchor', shape: shape.anchorName, from: 2019 },
  { ...core, name: '$recursiveAnchor', shape: shape.flag, from: 2019, until: 2019 },
  { ...core, name: '$dynamicAnchor', shape: shape.anchorName, from: 2020 },
  // Still read by 2019-09 and later, because many schemas go on using it.
  { ...core, name: 'definitions', shape: shape.schemaMap, holds: 'map' },
  { ...core, name: '$defs', shape: shape.schemaMap, holds: 'map', from: 2019 },

  { ...validation, name: 'type', shape: shape.typeNames, compile: values.compileType },
  { ...validation, name: 'const', shape: shape.anything, from: 6, compile: values.compileConst },
  { ...validation, name: 'enum', shape: shape.valueList, compile: values.compileEnum },
  { ...validation, name: 'multipleOf', shape: shape.positiveNumber, compile: values.compileMultipleOf },
  { ...validation, name: 'minimum', shape: shape.number, compile: values.compileMinimum },
  { ...validation, name: 'maximum', shape: shape.number, compile: values.compileMaximum },
  {
    ...validation,
    name: 'exclusiveMinimum',
    shape: shape.flagInDraft4,
    compile: values.compileExclusiveMinimum,
  },
  {
    ...validation,
    name: 'exclusiveMaximum',
    shape: shape.flagInDraft4,
    compile: values.compileExclusiveMaximum,
  },
  { ...validation, name: 'minLength', shape: shape.count, compile: values.compileMinLength },
  { ...validation, name: 'maxLength', shape: shape.count, compile: values.compileMaxLength },
  { ...validation, name: 'pattern', shape: shape.text, compile: values.compilePattern },
  { ...validation, name: 'minItems', shape: shape.count, compile: arrays.compileMinItems },
  { ...validation, name: 'maxItems', shape: shape.count, compile: arrays.compileMaxItems },
  { ...validation, name: 'uniqueItems', shape: shape.flag, compile: arrays.compileUniqueItems },
  { ...validation, name: 'minProperties', shape: shape.count, compile: objects.compileMinProperties },
  { ...validation, name: 'maxProperties', shape: shape.count, compile: objects.compileMaxProperties },
  { ...validation, name: 'required', shape: shape.nameList, compile: objects.compileRequired },
  {
    ...validation,
    name: 'dependentRequired',
    shape: shape.namesByName,
    from: 2019,
    compile: objects.compileDependentRequired,
  },
  { ...validation, name: 'minContains', shape: shape.count, from: 2019 },
  { ...validation, name: 'maxContains', shape: shape.count, from: 2019 },

  {
    ...applicator,
    name: 'propertyNames',
    shape: shape.schema,
    from: 6,
    holds: 'one',
    compile: objects.compilePropertyNames,
  },
  {
    ...applicator,
    name: 'properties',
    shape: shape.schemaMap,
    holds: 'map',
    compile: members.compileProperties,
  },
  {
    ...applicator,
    name: 'patternProperties',
    shape: shape.schemaMap,
    holds: 'map',
    compile: members.compilePatternProperties,
  },
  {
    ...applicator,
    name: 'additionalProperties',
    shape: shape.schemaOrFlag,
    holds: 'one',
    compile: members.compileAdditionalProperties,
  },
  {
    ...applicator,
    name: 'prefixItems',
    shape: shape.schemaList,
    from: 2020,
    holds: 'list',
    compile: arrays.compileTuple,
  },
  {
    ...applicator,
    name: 'items',
    shape: shape.schemaOrList,
    until: 2019,
    holds: 'oneOrList',
    compile: arrays.compileItemsOrTuple,
  },
  {
    ...applicator,
    name: 'items',
    shape: shape.schema,
    from: 2020,
    holds: 'one',
    compile: arrays.compileItems,
  },
  {
    ...applicator,
    name: 'additionalItems',
    shape: shape.schemaOrFlag,
    until: 2019,
    holds: 'one',
    compile: arrays.compileAdditionalItems,
  },
  {
    ...applicator,
    name: 'contains',
    shape: shape.schema,
    from: 6,
    holds: 'one',
    compile: arrays.compileContains,
  },
  {
    ...applicator,
    name: 'dependencies',
    shape: shape.schemaOrNamesMap,
    until: 7,
    holds: 'mapOrNames',
    compile: objects.compileDependencies,
  },
  {
    ...applicator,
    name: 'dependentSchemas',
    shape: shape.schemaMap,
    from: 2019,
    holds: 'map',
    compile: objects.compileDependentSchemas,
  },
  { ...core, name: '$ref', shape: shape.text, compile: references.compileRef },
  {
    ...core,
    name: '$recursiveRef',
    shape: shape.text,
    from: 2019,
    until: 2019,
    compile: references.compileRecursiveRef,
  },
  { ...core, name: '$dynamicRef', shape: shape.text, from: 2020, compile: references.compileDynamicRef },
  { ...applicator, name: 'allOf', shape: shape.schemaList, holds: 'list', compile: logic.compileAllOf },
  { ...applicator, name: 'anyOf', shape: shape.schemaList, holds: 'list', compile: logic.compileAnyOf },
  { ...applicator, name: 'oneOf', shape: shape.schemaList, holds: 'list', compile: logic.compileOneOf },
  { ...applicator, name: 'not', shape: shape.schema, holds: 'one', compile: logic.compileNot },
  { ...applicator, name: 'if', shape: shape.schema, from: 7, holds: 'one', compile: logic.compileIf },
  { ...applicator, name: 'then', shape: shape.schema, from: 7, holds: 'one' },
  { ...applicator, name: 'else', shape: shape.schema, from: 7, holds: 'one' },
  {
    ...unevaluated,
    name: 'unevaluatedItems',
    shape: shape.schema,
    from: 2019,
    holds: 'one',
    compile: arrays.compileUnevaluatedItems,
  },
  {
    ...unevaluated,
    name: 'unevaluatedProperties',
    shape: shape.schema,
    from: 2019,
    holds: 'one',
    compile: objects.compileUnevaluatedProperties,
  },

  { ...metadata, name: 'title', shape: shape.text },
  { ...metadata, name: 'description', shape: shape.text },
  { ...metadata, name: 'examples', shape: shape.list, from: 6 },
  { ...metadata, name: 'readOnly', shape: shape.flag, from: 7 },
  { ...metadata, name: 'writeOnly', shape: shape.flag, from: 7 },
  { ...metadata, name: 'deprecated', shape: shape.flag, from: 2019 },
  // Only an annotation in every draft: asserting it is optional, and libraries disagree about what each name means.
  { vocabulary: 'format', name: 'format', shape: shape.text },
  { ...content, name: 'contentEncoding', shape: shape.text, from: 7 },
  { ...content, name: 'contentMediaType', shape: shape.text, from: 7 },
  { ...content, name: 'contentSchema', shape: shape.schema, from: 2019, holds: 'one' },
]
