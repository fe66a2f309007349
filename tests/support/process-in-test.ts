import { after } from 'node:test'
import { type ServiceProcess, spawnService } from './process.ts'

/** Like spawnService, for use in a test: one that fails half way leaves no service behind to keep the run from ending. */
export async function spawnTestService(...args: Parameters<typeof spawnService>): Promise<ServiceProcess> {
  const service = await spawnService(...args)
  after(() => service.abandon())
  return service
}
