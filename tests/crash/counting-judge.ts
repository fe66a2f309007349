import { startFakeModel } from '../../src/cli/fake-judge/fake-model-server.ts'

/** A judge that is right: it counts the words of what it is shown. `calls` says how often it was asked. */
export async function startCounter() {
  let calls = 0
  const model = await startFakeModel({
    answer: ({ messages }) => {
      calls++
      const words = messages.at(-1)?.content.match(/\bword\b/g)?.length ?? 0
      // The last word of every text is its name.
      return { content: { word_count: words + 1 } }
    },
  })
  return { url: model.url, close: () => model.close(), calls: () => calls }
}
