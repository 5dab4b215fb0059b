import { Effect } from "effect"

/**
 * Makes the question for metrics to the process at the other end of a channel. `ask` sends it with an id, and `answer` takes
 * the answer to that id. The question waits until it is answered or interrupted.
 */
export const metricsQuestion = (ask: (id: number) => void) => {
  const asked = new Map<number, (text: string) => void>()
  let nextId = 0
  return {
    metrics: Effect.callback<string>((resume) => {
      const id = nextId++
      asked.set(id, (text) => resume(Effect.succeed(text)))
      ask(id)
      return Effect.sync(() => void asked.delete(id))
    }),
    answer: ({ id, text }: { readonly id: number; readonly text: string }) => asked.get(id)?.(text)
  }
}
