import { preference } from './preference.ts'

/** Light or dark; `system` follows the settings of the device. */
export const theme = preference('theme', ['system', 'light', 'dark'])

/** The height of the rows of tables. */
export const density = preference('density', ['comfortable', 'compact'])

/** Before the first drawing, so that no page shows in the wrong colours. */
export function applyAppearance(): void {
  theme.apply()
  density.apply()
}

/** A value as a label: "Dark". */
export const titleOf = (value: string) => value.charAt(0).toUpperCase() + value.slice(1)
