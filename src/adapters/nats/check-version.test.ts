import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordingLogger } from '../../../tests/support/recording-logger.ts'
import { checkVersion } from './check-version.ts'

test('servers that lose messages of a full stream are named loudly, newer ones are not', () => {
  const warned = ['2.9.10', '2.10.27', '2.12.15', '3.0.0', '1.4.1', '2.11.0-RC.1', undefined].filter(
    (version) => {
      const lines: string[] = []
      checkVersion(version, recordingLogger(lines))
      return lines.some((line) => line.startsWith('warn ACKNOWLEDGED SPANS MAY BE LOST'))
    },
  )
  assert.deepEqual(warned, ['2.9.10', '1.4.1'])
})
