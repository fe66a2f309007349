import { RefusedData } from '../../domain/errors.ts'

/** Classes of errors that are about the values: data exceptions, broken constraints, limits of a row or an index. */
const REFUSALS = /^(22|23|54)...$/

/** Tells apart what the database cannot hold from a database that cannot hold anything at the moment. */
export function refusable<Args extends unknown[], Result>(write: (...args: Args) => Promise<Result>) {
  return async (...args: Args): Promise<Result> => {
    try {
      return await write(...args)
    } catch (error) {
      const { code } = (error ?? {}) as { code?: unknown }
      throw typeof code === 'string' && REFUSALS.test(code) ? new RefusedData(error as Error) : error
    }
  }
}
