/** Our own line icons, on a grid of 16. */
export const ICON_PATHS = {
  overview: 'M2.5 2.5h4.5v5.5h-4.5z M9 2.5h4.5v3h-4.5z M9 8h4.5v5.5h-4.5z M2.5 10.5h4.5v3h-4.5z',
  inbox: 'M2.5 9.5l2-6.5h7l2 6.5v4h-11z M2.5 9.5h3.3a2.2 2.2 0 0 0 4.4 0h3.3',
  setups: 'M2 3h12l-4.6 5.4v4.1l-2.8 1.5v-5.6z',
  monitors: 'M1.5 8.5h3l2-5.5 3 10 2-4.5h3',
  traces: 'M2 3.5h8 M5 8h7 M8.5 12.5h5.5',
  evaluators: 'M6.5 2h3 M7.2 2v4.2l-4.2 6.3a1 1 0 0 0 .8 1.5h8.4a1 1 0 0 0 .8-1.5l-4.2-6.3v-4.2 M5 10h6',
  settings:
    'M2 4.5h6 M11.5 4.5h2.5 M2 11.5h2.5 M8 11.5h6 M8 4.5a1.75 1.75 0 1 0 3.5 0a1.75 1.75 0 1 0-3.5 0 M4.5 11.5a1.75 1.75 0 1 0 3.5 0a1.75 1.75 0 1 0-3.5 0',
  search: 'M2.5 7a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0 M10.3 10.3l3.7 3.7',
  'zoom-out': 'M2.5 7a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0 M10.3 10.3l3.7 3.7 M5 7h4',
  system: 'M2 3h12v8h-12z M6 13.5h4 M8 11v2.5',
  light:
    'M5 8a3 3 0 1 0 6 0a3 3 0 1 0-6 0 M8 1.5v1 M8 13.5v1 M1.5 8h1 M13.5 8h1 M3.4 3.4l.7 .7 M11.9 11.9l.7 .7 M12.6 3.4l-.7 .7 M4.1 11.9l-.7 .7',
  dark: 'M13.5 9.6a5.8 5.8 0 0 1-7.1-7.1a5.8 5.8 0 1 0 7.1 7.1z',
  comfortable: 'M2 4h12 M2 12h12',
  compact: 'M2 3.5h12 M2 6.5h12 M2 9.5h12 M2 12.5h12',
  'sign-out': 'M6 2.5h-3.5v11h3.5 M6.5 8h7.5 M11 5l3 3-3 3',
  keyboard: 'M1.5 4h13v8.5h-13z M4 6.8h.1 M6.7 6.8h.1 M9.3 6.8h.1 M12 6.8h.1 M4.5 9.8h7',
  new: 'M8 3v10 M3 8h10',
  close: 'M4 4l8 8 M12 4l-8 8',
  pass: 'M3 8.5l3.2 3.2 6.8-7.2',
  fail: 'M4 4l8 8 M12 4l-8 8',
  neutral: 'M3.5 8h9',
  unscored:
    'M8 2.5a5.5 5.5 0 0 1 3.9 1.6 M13.4 7a5.5 5.5 0 0 1-.8 4 M9.9 13.2a5.5 5.5 0 0 1-4 -.1 M3.3 10.9a5.5 5.5 0 0 1-.7-4 M4.2 4a5.5 5.5 0 0 1 1.5-1',
  warning: 'M8 2.2l6.3 11.3h-12.6z M8 6.5v3.2 M8 11.6v.1',
  working: 'M8 2.5a5.5 5.5 0 1 1-5.5 5.5',
  docs: 'M3 2.5h7.5l2.5 2.5v8.5h-10z M5.5 7.5h5 M5.5 10.5h5',
} as const

export type IconName = keyof typeof ICON_PATHS
