import { Context, Effect } from "effect"
import { type TestAnswer, TestClient } from "../../support/TestClient.ts"

type Request = Effect.Effect<TestAnswer, never, TestClient>

/** Sends requests to two processes by turns, all at once. */
export const race = Effect.fnUntraced(function* (
  processes: ReadonlyArray<Context.Context<any>>,
  requests: ReadonlyArray<Request>
) {
  return yield* Effect.forEach(
    requests,
    (request, number) =>
      Effect.provideService(request, TestClient, Context.get(processes[number % 2]!, TestClient)),
    { concurrency: "unbounded" }
  )
})

/** Returns how often each status and code was answered. */
export const reasons = (answers: ReadonlyArray<TestAnswer>) => {
  const counts: Record<string, number> = {}
  for (const { body, status } of answers) {
    const reason = `${status} ${body.data?.code ?? ""}`.trim()
    counts[reason] = (counts[reason] ?? 0) + 1
  }
  return counts
}

/** Makes this many of something. */
export const times = <A>(count: number, of: (number: number) => A) =>
  Array.from({ length: count }, (_, n) => of(n))
