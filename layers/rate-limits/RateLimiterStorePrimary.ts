import { Duration, Effect, Layer } from "effect"
import { RateLimiter } from "effect/persistence"
import { adaptiveLimits } from "./adaptiveLimits.ts"

type Store = RateLimiter.RateLimiterStore["Service"]

/** The way to count: in a fixed window, or in a bucket of tokens, which may be let overflow. */
type Way = "window" | "bucket" | "overflow"

/** A request to count. A window may have no limit, which is null; `refillMillis` is the time for each token. */
export type CountQuestion = readonly [
  id: number,
  way: Way,
  key: string,
  limit: number | null,
  refillMillis: number,
  tokens: number
]

/** The answer to a question: its id, and the two numbers of the store's answer. */
export type CountAnswer = readonly [id: number, count: number, millis: number]

/** Time between two looks for questions without an answer. A question waits for two of them at most. */
const LOOK_MILLIS = 500

const away = Effect.fail(
  new RateLimiter.RateLimiterError({
    reason: new RateLimiter.RateLimitStoreError({ message: "The primary process does not answer" })
  })
)

const countIn = (store: Store, [, way, key, limit, refillMillis, tokens]: CountQuestion) => {
  const options = { key, refillRate: Duration.millis(refillMillis), tokens }
  return way === "window"
    ? store.fixedWindow({ ...options, limit: limit ?? undefined })
    : store.tokenBucket({ ...options, limit: limit ?? 0, allowOverflow: way === "overflow" })
}

/** Counts the questions of another process in the store of this one. */
export const answerCounts = (store: Store, questions: ReadonlyArray<CountQuestion>) =>
  Effect.forEach(questions, (question) =>
    Effect.map(countIn(store, question), ([count, millis]): CountAnswer => [question[0], count, millis])
  )

/** A question without its id. */
type Question = CountQuestion extends readonly [number, ...infer Rest] ? Rest : never

type Resume = (answer: ReturnType<Store["fixedWindow"]>) => void

/** The way to the primary process. */
export interface PrimaryCounters {
  readonly ask: (questions: ReadonlyArray<CountQuestion>) => void
  /** Sets the function that takes the answers. */
  readonly onAnswers: (take: (answers: ReadonlyArray<CountAnswer>) => void) => void
}

/**
 * Counters in the primary process, shared by the processes that serve. Questions of one turn of the event loop go in
 * one message. A call fails within a second when the primary process does not answer.
 */
export const layer = ({ ask, onAnswers }: PrimaryCounters) =>
  Layer.effect(
    RateLimiter.RateLimiterStore,
    Effect.gen(function* () {
      const waiting = new Map<number, Resume>()
      let unsent: Array<CountQuestion> = []
      let nextId = 0
      let idAtLastLook = 0

      const send = () => {
        const questions = unsent
        unsent = []
        ask(questions)
      }

      onAnswers((answers) => {
        for (const [id, count, millis] of answers) {
          waiting.get(id)?.(Effect.succeed([count, millis]))
          waiting.delete(id)
        }
      })

      const look = Effect.sync(() => {
        for (const [id, resume] of waiting) {
          if (id >= idAtLastLook) break
          waiting.delete(id)
          resume(away)
        }
        idAtLastLook = nextId
      })
      yield* Effect.forkScoped(Effect.forever(Effect.delay(look, LOOK_MILLIS)))

      const count = (...question: Question) =>
        Effect.callback((resume: Resume) => {
          const id = nextId++
          waiting.set(id, resume)
          if (unsent.push([id, ...question]) === 1) setImmediate(send)
          return Effect.sync(() => void waiting.delete(id))
        })

      return RateLimiter.RateLimiterStore.of({
        fixedWindow: ({ key, limit, refillRate, tokens }) =>
          count("window", key, limit ?? null, Duration.toMillis(refillRate), tokens),
        tokenBucket: ({ allowOverflow, key, limit, refillRate, tokens }) =>
          count(allowOverflow ? "overflow" : "bucket", key, limit, Duration.toMillis(refillRate), tokens),
        ...adaptiveLimits
      })
    })
  )
