/** A colour as its three parts from 0 to 255. */
export type Rgb = readonly [number, number, number]

/** Reads `#rrggbb`. */
export function parseHex(text: string): Rgb {
  const hex = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(text.trim())
  if (!hex) throw new Error(`${text} is not a colour of the form #rrggbb`)
  return [1, 2, 3].map((at) => Number.parseInt(hex[at] ?? '', 16)) as unknown as Rgb
}

const toLinear = (part: number) =>
  part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4

function luminance(colour: Rgb): number {
  const [red, green, blue] = colour.map(toLinear) as unknown as Rgb
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** The contrast ratio of WCAG 2, from 1 to 21. */
export function contrast(one: Rgb, other: Rgb): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

/** Forms of colour blindness: the matrices of Machado, Oliveira and Fernandes (2009) for full severity, on linear RGB. */
export const COLOUR_BLINDNESS = {
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
} as const

type Matrix = readonly (readonly number[])[]

const times = (matrix: Matrix, vector: readonly number[]): number[] =>
  matrix.map((row) => row.reduce((sum, factor, at) => sum + factor * (vector[at] ?? 0), 0))

/** sRGB primaries to XYZ, for the white of D65. */
const TO_XYZ: Matrix = [
  [0.4124564, 0.3575761, 0.1804375],
  [0.2126729, 0.7151522, 0.072175],
  [0.0193339, 0.119192, 0.9503041],
]
const WHITE = [0.95047, 1, 1.08883]

function toLab(linear: readonly number[]): number[] {
  const curve = (value: number) =>
    value > 216 / 24389 ? Math.cbrt(value) : (value * 24389) / 27 / 116 + 16 / 116
  const [x = 0, y = 0, z = 0] = times(TO_XYZ, linear).map((value, at) => curve(value / (WHITE[at] ?? 1)))
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)]
}

/** How far apart two colours look (CIE76), to a person who sees all colours or with a form of colour blindness. */
export function difference(one: Rgb, other: Rgb, blindness?: keyof typeof COLOUR_BLINDNESS): number {
  const [first, second] = [one, other].map((colour) => {
    const linear = colour.map(toLinear)
    const seen = blindness === undefined ? linear : times(COLOUR_BLINDNESS[blindness], linear)
    return toLab(seen.map((part) => Math.min(1, Math.max(0, part))))
  }) as [number[], number[]]
  return Math.hypot(...first.map((part, at) => part - (second[at] ?? 0)))
}
