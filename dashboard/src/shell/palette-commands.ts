import { useQuery } from '@tanstack/react-query'
import { api, ok } from '../api/client.ts'
import { forgetKey } from '../api/key.ts'
import { density, theme, titleOf } from './appearance.ts'
import { type Command, traceIdIn } from './palette-search.ts'
import { SECTIONS } from './sections.ts'

/** The most that one request gives; the pages of setups and monitors search in all of them. */
const SETUPS_MAX = 1_000
const MONITORS_MAX = 200
const FRESH_MS = 60_000

/** Everything that the palette can offer for a text. Names are read from the service when the palette opens. */
export function useCommands(text: string, onShortcuts: () => void): readonly Command[] {
  const setups = useQuery({
    queryKey: ['palette', 'setups'],
    queryFn: () => ok(api.GET('/v2/auto-monitor-setups', { params: { query: { limit: SETUPS_MAX } } })),
    staleTime: FRESH_MS,
  })
  const monitors = useQuery({
    queryKey: ['palette', 'monitors'],
    queryFn: () => ok(api.GET('/v2/monitors', { params: { query: { limit: MONITORS_MAX } } })),
    staleTime: FRESH_MS,
  })
  const evaluators = useQuery({
    queryKey: ['evaluators'],
    queryFn: () => ok(api.GET('/v2/evaluators')),
    staleTime: FRESH_MS,
  })
  return [
    ...traceCommands(text),
    ...PAGES,
    ...actionsOf(onShortcuts),
    ...(setups.data ?? []).map(({ id, external_id: name }) => setupCommand(id, name)),
    ...(monitors.data?.monitors ?? []).map(({ id, evaluator_type: evaluator, external_id: setup }) =>
      command('Monitors', id, evaluator, `/monitors/${encodeURIComponent(id)}`, setup),
    ),
    ...(evaluators.data?.evaluators ?? []).map(({ slug, name }) =>
      command('Evaluators', slug, name, `/evaluators/${encodeURIComponent(slug)}`, slug),
    ),
  ]
}

const ICONS = { Setups: 'setups', Monitors: 'monitors', Evaluators: 'evaluators' } as const

function command(group: keyof typeof ICONS, id: string, title: string, act: string, note?: string): Command {
  const same = note === undefined || note === title
  return { id: `${group} ${id}`, group, title, icon: ICONS[group], act, ...(same ? {} : { note }) }
}

/** `/setups/new` is the form for a new one, so a setup of that name has an address of its own. */
const setupCommand = (id: string, name: string) =>
  command('Setups', id, name, name === 'new' ? '/setups/new?edit=new' : `/setups/${encodeURIComponent(name)}`)

function traceCommands(text: string): Command[] {
  const id = traceIdIn(text)
  // The text itself is the note, so that the search finds it however it was written.
  if (id !== undefined)
    return [
      {
        id: 'trace',
        group: 'Trace',
        title: `Open trace ${id}`,
        note: text,
        icon: 'traces',
        act: `/traces/${id}`,
      },
    ]
  const words = text.trim()
  if (words === '') return []
  const act = `/traces?${new URLSearchParams({ q: words })}`
  return [
    { id: 'search traces', group: 'Traces', title: `Search traces for “${words}”`, icon: 'search', act },
  ]
}

const PAGES: readonly Command[] = SECTIONS.map(({ to, title, icon }) => ({
  id: `page ${to}`,
  group: 'Pages' as const,
  title,
  icon,
  act: to,
}))

function actionsOf(onShortcuts: () => void): Command[] {
  const group = 'Actions' as const
  return [
    { id: 'new setup', group, title: 'New setup', icon: 'new', act: '/setups/new' },
    { id: 'suggestions', group, title: 'Suggest evaluators for my traces', icon: 'setups', act: '/suggestions' },
    { id: 'new judge', group, title: 'New custom judge', icon: 'new', act: '/evaluators/new' },
    ...theme.values
      .filter((value) => value !== theme.read())
      .map((value) => ({
        id: `theme ${value}`,
        group,
        title: `Theme: ${titleOf(value)}`,
        icon: value,
        act: () => theme.keep(value),
      })),
    ...density.values
      .filter((value) => value !== density.read())
      .map((value) => ({
        id: `density ${value}`,
        group,
        title: `Rows: ${titleOf(value)}`,
        note: 'density',
        icon: value,
        act: () => density.keep(value),
      })),
    { id: 'shortcuts', group, title: 'Keyboard shortcuts', icon: 'keyboard', act: onShortcuts },
    { id: 'sign out', group, title: 'Sign out', icon: 'sign-out', act: forgetKey },
  ]
}
