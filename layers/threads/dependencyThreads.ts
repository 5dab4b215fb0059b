import { availableParallelism } from "node:os"
import { Effect } from "effect"
import { DependencyUnavailable } from "../../src/platform/ports/DependencyUnavailable.ts"
import { makeThreadPool, type ThreadPoolOptions } from "./threadPool.ts"

/** One or two: another processor is left to the requests. */
const threads = Math.max(1, Math.min(2, availableParallelism() - 1))

// Beside the sources as beside what is built from them.
const programOf = (name: string) =>
  new URL(`./${name}${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url)

/**
 * Threads of a program of this folder that a request depends on: without an answer it dies with `DependencyUnavailable`.
 * What is given in `overrides` holds instead.
 */
export const makeDependencyThreads = Effect.fnUntraced(function* <Question, Answer>(
  it: { readonly dependency: string; readonly program: string; readonly waitingMax: number },
  overrides: Partial<ThreadPoolOptions>
) {
  const { program, waitingMax } = it
  const pool = yield* makeThreadPool<Question, Answer>({
    program: programOf(program),
    threads,
    waitingMax,
    ...overrides
  })
  const ask = (question: Question) =>
    Effect.catchTag(pool.ask(question), "ThreadsUnavailable", () =>
      Effect.die(new DependencyUnavailable({ dependency: it.dependency }))
    )
  return { ask }
})
