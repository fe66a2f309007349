import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { SavedView, ViewDefinition } from '../../src/domain/saved-view.ts'
import { AT_MS, createTenant, nextId, type StorageHarness, storeWithTenant } from './contract-fixtures.ts'

const view = (name: string, rest: Partial<ViewDefinition> = {}): SavedView => ({
  ...{
    id: nextId(),
    name,
    list: 'traces',
    filter: { status: 'error' },
    columns: ['input'],
    isDefault: false,
  },
  ...{ createdAtMs: AT_MS, updatedAtMs: AT_MS, ...rest },
})

/** The promises about saved views. */
export function describeSavedViews(harness: StorageHarness): void {
  describe('saved views', () => {
    test('are listed in the order in which they were made, page by page and by list', async () => {
      const { storage, tenant } = await storeWithTenant(harness)
      const views = [view('b'), view('a', { list: 'sessions' }), view('c', { filter: { q: ['x', 'y'] } })]
      for (const one of views) assert.equal(await storage.createSavedView(tenant, one, 10), 'created')
      assert.deepEqual(await storage.listSavedViews(tenant, {}, { limit: 10 }), views)
      assert.deepEqual(
        await storage.listSavedViews(tenant, {}, { limit: 1, afterId: views[0]?.id ?? '' }),
        views.slice(1, 2),
      )
      assert.deepEqual(await storage.listSavedViews(tenant, { list: 'sessions' }, { limit: 10 }), [views[1]])
    })

    test('have names of their own, and their number has a limit', async () => {
      const { storage, tenant } = await storeWithTenant(harness)
      const [first, second] = [view('one'), view('two')]
      await storage.createSavedView(tenant, first, 2)
      assert.equal(await storage.createSavedView(tenant, view('one'), 2), 'exists')
      await storage.createSavedView(tenant, second, 2)
      assert.equal(await storage.createSavedView(tenant, view('three'), 2), 'full')
      assert.equal(await storage.replaceSavedView(tenant, second.id, view('one'), AT_MS), 'exists')
      const { id, createdAtMs, updatedAtMs: _, ...same } = { ...first, columns: ['output', 'input'] }
      const replaced = await storage.replaceSavedView(tenant, id, same, AT_MS + 1)
      assert.deepEqual(replaced, { ...same, id, createdAtMs, updatedAtMs: AT_MS + 1 })
      assert.deepEqual(await storage.listSavedViews(tenant, {}, { limit: 10 }), [replaced, second])
    })

    test('have one default for each list, the newest choice', async () => {
      const { storage, tenant } = await storeWithTenant(harness)
      const [first, second, other] = [
        view('first', { isDefault: true }),
        view('second', { isDefault: true }),
        view('other', { isDefault: true, list: 'sessions' }),
      ]
      for (const one of [first, second, other]) await storage.createSavedView(tenant, one, 10)
      const defaults = async () =>
        (await storage.listSavedViews(tenant, {}, { limit: 10 }))
          .filter(({ isDefault }) => isDefault)
          .map(({ name }) => name)
      assert.deepEqual(await defaults(), ['second', 'other'])
      await storage.replaceSavedView(tenant, first.id, first, AT_MS)
      assert.deepEqual(await defaults(), ['first', 'other'])
    })

    test('belong to their project', async () => {
      const { storage, tenant } = await storeWithTenant(harness)
      const stranger = await createTenant(storage, 'stranger')
      const own = view('own')
      await storage.createSavedView(tenant, own, 10)
      // A tenant that names the project of another organization has nothing, either.
      for (const foreign of [stranger, { ...tenant, orgId: stranger.orgId }]) {
        assert.deepEqual(await storage.listSavedViews(foreign, {}, { limit: 10 }), [])
        assert.equal(await storage.replaceSavedView(foreign, own.id, view('mine'), AT_MS), undefined)
        assert.equal(await storage.deleteSavedView(foreign, own.id), false)
      }
      assert.equal(await storage.createSavedView(stranger, view('own'), 10), 'created')
      assert.equal(await storage.deleteSavedView(tenant, own.id), true)
      assert.equal(await storage.deleteSavedView(tenant, own.id), false)
      assert.equal((await storage.listSavedViews(stranger, {}, { limit: 10 })).length, 1)
    })
  })
}
