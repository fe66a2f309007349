import { embedText } from './text-model.ts'

/** How close two directions of meaning are, from -1 to 1. */
export function cosineOf(left: Float32Array, right: Float32Array): number {
  return left.reduce((sum, value, at) => sum + value * (right[at] ?? 0), 0)
}

/** How close two texts are in meaning, from 0 to 1; 0 when one of them holds nothing to read. */
export function similarityOf(left: string, right: string): number {
  const [a, b] = [embedText(left), embedText(right)]
  return a && b ? Math.min(1, Math.max(0, cosineOf(a, b))) : 0
}
