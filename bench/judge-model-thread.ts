// The model of the overhead figures, in a thread of its own, so that what it does is not counted as the judges' work.

import { parentPort } from 'node:worker_threads'
import { startFakeModel } from '../src/cli/fake-judge/fake-model-server.ts'
import { rightAnswer } from './judge-cases.ts'
import { FORMS, judgeOf } from './judge-forms.ts'

const model = await startFakeModel({ answer: (request) => rightAnswer(FORMS[judgeOf(request)], request) })
parentPort?.postMessage(model.url)
