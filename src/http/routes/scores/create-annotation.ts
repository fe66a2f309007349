import * as z from 'zod'
import type { Annotation } from '../../../domain/annotation.ts'
import { boundedName } from '../../../domain/bounded-name.ts'
import { loadKnownEvaluators } from '../../../evaluators/known-evaluators.ts'
import { defineRoute } from '../../route.ts'
import { boundedText, requiredName, TEXT_CHARS_MAX } from '../../wire/text-schemas.ts'
import { scoreOutput, toWireScore } from './score-wire.ts'

const NAME_CHARS_MAX = 255
const TAGS_MAX = 50
const LIST_MAX = 50

const tagValue = z.union([z.number(), z.boolean(), boundedText(), z.array(boundedText()).max(LIST_MAX)])

const annotationInput = z
  .object({
    entity_instance_id: requiredName(TEXT_CHARS_MAX).describe(
      'What it is about: a trace id of 32 hex digits, or the id of the session as spans carry it.',
    ),
    tags: z
      .record(requiredName(NAME_CHARS_MAX), tagValue)
      .refine((tags) => Object.keys(tags).length > 0, { error: 'must have at least one tag' })
      .refine((tags) => Object.keys(tags).length <= TAGS_MAX, {
        error: `must have at most ${TAGS_MAX} tags`,
      }),
    source: boundedText(NAME_CHARS_MAX).optional(),
    flow: boundedText(NAME_CHARS_MAX).optional(),
    actor: z
      .object({
        type: boundedText(NAME_CHARS_MAX).optional(),
        id: boundedText(NAME_CHARS_MAX).optional(),
      })
      .optional(),
  })
  .meta({ id: 'AnnotationInput' })

export const createAnnotationRoute = defineRoute({
  method: 'POST',
  path: '/v2/annotation-tasks/{task}/annotations',
  operationId: 'createAnnotation',
  tag: 'Scores',
  summary: 'Hand in feedback of a user',
  description:
    'What the `userFeedback.create` of SDKs calls: each tag becomes an annotation of a person. A task that has the slug of an ' +
    'evaluator is held against its verdicts.',
  access: ['write', 'ingest'],
  params: z.object({ task: requiredName(NAME_CHARS_MAX).describe('Name of the annotation task.') }),
  body: annotationInput,
  success: {
    status: 201,
    description: 'The annotations that it became.',
    schema: z.object({ scores: z.array(scoreOutput) }).meta({ id: 'Annotation' }),
  },
  async handle({ principal, params: { task }, body }, { storage, clock }) {
    const isEvaluator = (await loadKnownEvaluators(storage, principal, [task])).find(task) !== undefined
    const about = {
      ...aboutOf(body.entity_instance_id),
      source: 'human' as const,
      task,
      ...(isEvaluator ? { evaluator: task } : {}),
      ...(body.actor?.id ? { actor: body.actor.id } : {}),
    }
    const annotations = Object.entries(body.tags).map(
      ([name, value]): Annotation => ({ ...about, name, value }),
    )
    const stored = await storage.addAnnotations(principal, annotations, clock.nowMs())
    return { scores: stored.map((annotation) => toWireScore(annotation, () => principal.environment)) }
  },
})

function aboutOf(entityId: string): Pick<Annotation, 'traceId' | 'sessionId'> {
  return /^[0-9a-f]{32}$/i.test(entityId)
    ? { traceId: entityId.toLowerCase() }
    : { sessionId: boundedName(entityId) }
}
