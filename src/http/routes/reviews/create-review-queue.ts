import * as z from 'zod'
import { createReviewQueue } from '../../../control/review-queues.ts'
import { REVIEW_ITEMS_MAX, REVIEW_QUEUES_MAX, REVIEWERS_MAX } from '../../../domain/review.ts'
import { defined } from '../../../lib/defined.ts'
import { DRAWN_FROM_MAX, drawReviewSample } from '../../../query/draw-review-sample.ts'
import { defineRoute } from '../../route.ts'
import { boundedText, requiredName } from '../../wire/text-schemas.ts'
import { checkEvaluationFilter, searchFields, toEvaluationFilter } from '../evaluations/evaluation-filter.ts'
import { queueOutput, REVIEWER_CHARS_MAX, TAG, toWireQueue } from './review-wire.ts'

const NAME_CHARS_MAX = 255
const SEED_CHARS_MAX = 255
const SAMPLE_DEFAULT = 50

const { status: _status, history: _history, ...drawnFields } = searchFields

/** The filters that a sample can be drawn by: those of the list, for evaluations that were scored. */
const drawnFilter = z.strictObject(drawnFields).superRefine(checkEvaluationFilter)

const queueInput = z
  .object({
    name: requiredName(NAME_CHARS_MAX),
    filter: z
      .record(z.string(), boundedText())
      .optional()
      .superRefine((filter, context) => {
        const { error } = drawnFilter.safeParse(filter ?? {})
        for (const { path, message } of error?.issues ?? [])
          context.addIssue({ code: 'custom', path: [...path], message })
      })
      .describe('Parameters of `GET /v2/evaluations`, without those of its pages and its order.'),
    sample_size: z
      .int()
      .min(1)
      .max(REVIEW_ITEMS_MAX)
      .optional()
      .describe(`Largest number of evaluations; ${SAMPLE_DEFAULT} when absent.`),
    reviewers: z
      .array(requiredName(REVIEWER_CHARS_MAX))
      .max(REVIEWERS_MAX)
      .refine((names) => new Set(names).size === names.length, { error: 'must not name anybody twice' })
      .optional()
      .describe('The people it is for; absent or empty: anybody.'),
    seed: requiredName(SEED_CHARS_MAX)
      .optional()
      .describe('Draws the same evaluations again; absent: a new one.'),
  })
  .meta({ id: 'ReviewQueueInput' })

export const createReviewQueueRoute = defineRoute({
  method: 'POST',
  path: '/v2/review-queues',
  operationId: 'createReviewQueue',
  tag: TAG,
  summary: 'Create a review queue',
  description:
    'Draws a random sample of the evaluations that match at this moment and whose verdict passes or fails, for people to review. ' +
    `At most ${DRAWN_FROM_MAX} of the newest are drawn from. The order of the items is random, too, so that a queue that was ` +
    'reviewed in part is still a random sample.',
  access: 'write',
  body: queueInput,
  success: { status: 201, description: 'The review queue.', schema: queueOutput },
  errors: { 403: `The project has ${REVIEW_QUEUES_MAX} review queues.` },
  async handle({ principal, body }, deps) {
    const { name, filter = {}, sample_size: size = SAMPLE_DEFAULT, reviewers = [] } = body
    const id = deps.ids.newId()
    const seed = body.seed ?? id
    const { q: text, ...query } = drawnFilter.parse(filter)
    const search = {
      filter: { status: 'scored', ...toEvaluationFilter(query) },
      ...defined({ text }),
    } as const
    const sample = await drawReviewSample(deps.storage, principal, search, { size, seed })
    return toWireQueue(
      await createReviewQueue(deps, principal, {
        id,
        name,
        filter,
        reviewers,
        sampleSize: size,
        seed,
        ...sample,
      }),
    )
  },
})
