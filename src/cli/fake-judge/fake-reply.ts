import { z } from 'zod'

const flag = z.literal(true).optional()

/** Structured channels that a server may lack. */
export const CHANNELS = ['json_schema', 'json_object', 'tools'] as const
export type Channel = (typeof CHANNELS)[number]

/**
 * How one request is answered. Without anything it is answered rightly: the schema that was asked for is filled in. Parts can
 * be combined where that has a meaning: `{ delayMs: 200, noUsage: true }`.
 */
export const fakeReplySchema = z.strictObject({
  /** The model's text; an object is sent as JSON, a text to the letter. Without it the schema is filled in. */
  content: z.union([z.string(), z.record(z.string(), z.unknown())]).optional(),
  /** An error of the provider instead of an answer. */
  status: z.int().min(200).max(599).optional(),
  /** The header that comes with it: seconds or a date. */
  retryAfter: z.union([z.number(), z.string()]).optional(),
  /** Further headers, for example `location`. */
  headers: z.record(z.string(), z.string()).optional(),
  /** The whole body to the letter, with any status and with the content type of `headers` (default: JSON). */
  body: z.string().optional(),
  delayMs: z.int().min(0).max(600_000).optional(),
  /** The model declines; a text is what it says. */
  refusal: z.union([z.literal(true), z.string()]).optional(),
  /** The provider's filter ends the answer. */
  filtered: flag,
  /** The answer ends in the middle, and the provider says that it ran out of tokens. */
  truncate: flag,
  /** Two answers where one was asked for: two JSON documents, or two tool calls. */
  twoObjects: flag,
  /** Talk around the answer. */
  prose: flag,
  /** Answers in words although tools are offered. */
  inWords: flag,
  /** A call of a tool that nobody offered. */
  otherTool: flag,
  /** Every number of the answer as a text. */
  quotedNumbers: flag,
  empty: flag,
  /** The page of a proxy instead of an answer. */
  html: flag,
  /** Takes the request and never answers. */
  hang: flag,
  /** Breaks the connection. */
  disconnect: flag,
  noUsage: flag,
  logprobs: z.array(z.number()).optional(),
  /** From here on the server turns these channels away, with 400; no request is used up. */
  unsupported: z.array(z.enum(CHANNELS)).optional(),
  /** From here on the server turns requests with these parameters away, with 400; no request is used up. */
  refuseParameters: z.array(z.string()).optional(),
  /** For how many requests; default 1. */
  times: z.int().min(1).max(1_000_000).optional(),
})

/** How one request is answered; see the schema. */
export type FakeReply = z.input<typeof fakeReplySchema>

/** A list of replies, used up in order. */
export const fakeScriptSchema = z.array(fakeReplySchema).max(10_000)
