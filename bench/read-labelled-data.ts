import { existsSync } from 'node:fs'
import path from 'node:path'
import { type LabelledFile, readLabelledFiles } from '../src/cli/bench/labelled-data.ts'

const DATA_DIR = path.resolve(import.meta.dirname, '../../shared/data')

/** The labelled data beside the checkout; undefined when it is not there. It is not part of the project. */
export function readLabelledData(): LabelledFile[] | undefined {
  return existsSync(DATA_DIR) ? readLabelledFiles(DATA_DIR) : undefined
}
