import { Clock, Context, Deferred, Effect, type Exit, Layer, Metric, Schedule, Scope, Stream } from "effect"
import type { LimitName } from "../../../schemas/platform/rate-limits/limits.ts"
import { AnswerBytes, type Coding } from "../ports/AnswerBytes.ts"
import { Settings } from "../ports/Settings.ts"
import { type Heard, Signals } from "../ports/Signals.ts"
import { Transactions } from "../sql/Transactions.ts"
import { coalesced } from "../work/coalesced.ts"
import { AnswerStore, type PublicAnswer } from "./AnswerStore.ts"
import { Generations } from "./Generations.ts"
import type { Given } from "./ReadCounter.ts"
import { tags } from "./tags.ts"

const MEBIBYTE = 1024 * 1024

/**
 * Life of an answer. A process that ends between a commit and its signal leaves others with old answers for this long.
 */
const LIFE_MILLIS = 10_000

/** Attempts to tell other processes of a change end when their answers have ended by themselves. */
const RETRY = { schedule: Schedule.spaced("50 millis"), times: LIFE_MILLIS / 50 }

const lookups = Metric.counter("public_answers_total", {
  description:
    "Public answers from the store before routing (unrouted) and after it (hit), and newly made ones (miss)",
  incremental: true
})
const unrouted = Metric.withAttributes(lookups, { outcome: "unrouted" })
const hits = Metric.withAttributes(lookups, { outcome: "hit" })
const misses = Metric.withAttributes(lookups, { outcome: "miss" })
const keptBytes = Metric.gauge("public_answers_bytes", { description: "Memory of the kept public answers" })

/** The name of a public read, and what its answer shows. */
export interface PublicRead<in A> {
  /** Equal for requests that have the same answer, also in another spelling. */
  readonly key: string
  readonly tags: (value: A) => ReadonlyArray<string>
  /** The Posts whose text the answer has, so that its reads are counted. */
  readonly given?: (value: A) => Given
  /** Seconds that caches may keep the answer; 15 without it. */
  readonly maxAgeSeconds?: number
  /** The limit of its endpoint: `public-read` unless it names another. */
  readonly limit?: LimitName
}

/** An answer that is being made. */
interface Making {
  /** The generation at its beginning. */
  readonly since: number
  readonly answer: Deferred.Deferred<PublicAnswer, unknown>
}

/** The names of a request for a public answer. */
export interface PublicRequest extends Pick<PublicRead<never>, "key"> {
  /** The target as the client wrote it. */
  readonly url: string
}

/**
 * Makes the answers of an effect fresh, even if one is kept. It is for readers within the process: a header with this
 * effect would let any client have every answer made again.
 */
export const AnswersMadeAnew = Context.Reference<boolean>(
  "pennypress/platform/public-answers/AnswersMadeAnew",
  { defaultValue: () => false }
)

/**
 * Encoded public answers, kept in this process until something that they show changes.
 *
 * - In this process, an answer is never older than a commit that a caller knows of. A change ends the answers before its
 *   writer gets an answer, and from its announcement on they are made for every reader.
 * - Other processes hear of a change within milliseconds. A process that cannot hear keeps no answers.
 */
export class PublicAnswers extends Context.Service<
  PublicAnswers,
  {
    /** Returns the answer to a request, and makes it when it is not kept. Errors are not kept. */
    readonly get: <E, R>(
      request: PublicRequest,
      make: Effect.Effect<PublicAnswer, E, R>
    ) => Effect.Effect<PublicAnswer, E, R>
    /** Returns the kept answer for a target; undefined when the caller has to use `get`. */
    readonly find: (url: string, context: Context.Context<never>) => PublicAnswer | undefined
    /** Returns the body of a kept answer in a coding, which is made once; undefined for an answer that is not kept. */
    readonly coded: (
      key: string,
      answer: PublicAnswer,
      coding: Coding
    ) => Effect.Effect<Uint8Array | undefined>
    /**
     * Runs an effect that changes these things. From its beginning until the end of the surrounding transaction (or its
     * own end, without one), answers that show them are made for every reader. Then kept answers end here, and
     * soon in other processes. This also happens after a failed transaction, because its commit may have
     * succeeded.
     */
    readonly changing: (
      tags: ReadonlyArray<string>
    ) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>()("pennypress/platform/public-answers/PublicAnswers") {
  static readonly layer = Layer.effect(
    PublicAnswers,
    Effect.gen(function* () {
      const { publicCacheMb } = yield* Settings
      const transactions = yield* Transactions
      const signals = yield* Signals
      const scope = yield* Scope.Scope
      const clock = yield* Clock.Clock
      const { compress } = yield* AnswerBytes
      const context = yield* Effect.context<never>()
      const runPromise = Effect.runPromiseWith(context)

      const generations = new Generations()
      generations.begin([tags.never])
      const store = new AnswerStore(publicCacheMb * MEBIBYTE, generations)
      const measureStore = () => keptBytes.updateUnsafe(store.bytes, context)
      let isListening = false

      const tellOthers = yield* coalesced((names) =>
        signals.send("public_answers", names).pipe(Effect.retry(RETRY), Effect.ignore)
      )

      const follow = (event: Heard) =>
        Effect.sync(() => {
          if (event._tag === "signal") return generations.raise([event.text])
          isListening = event._tag === "listening"
          generations.raiseAll()
        })

      yield* Effect.forkScoped(Stream.runForEach(signals.heard("public_answers"), follow))

      const changing: PublicAnswers["Service"]["changing"] = (names) => (effect) =>
        Effect.suspend(() => {
          generations.begin(names)
          const end = Effect.sync(() => {
            generations.end(names)
            for (const name of names) tellOthers(name)
          })
          return Effect.onExit(effect, () => transactions.atEnd(end))
        })

      /** The last making of each answer that has not ended. */
      const makings = new Map<string, Making>()

      const awaitAnswer = <E>({ answer }: Making) =>
        Deferred.await(answer as Deferred.Deferred<PublicAnswer, E>)

      /** Makes an answer in a fiber of its own, so a client that leaves does not end the answer for others. */
      const makeShared = <E, R>({ key, url }: PublicRequest, make: Effect.Effect<PublicAnswer, E, R>) => {
        const making: Making = { since: generations.now, answer: Deferred.makeUnsafe() }
        const finish = (exit: Exit.Exit<PublicAnswer, E>) => {
          if (makings.get(key) === making) makings.delete(key)
          if (exit._tag === "Success" && isListening) {
            store.put(key, exit.value, making.since, clock.currentTimeMillisUnsafe() + LIFE_MILLIS)
            store.addTarget(url, key)
            measureStore()
          }
          Deferred.doneUnsafe(making.answer, exit)
        }
        // Others wait for it only once it runs: this client may leave before that.
        const run = Effect.suspend(() => {
          makings.set(key, making)
          return Effect.onExit(make, (exit) => Effect.sync(() => finish(exit)))
        })
        return Effect.andThen(Effect.forkIn(run, scope, { startImmediately: true }), awaitAnswer<E>(making))
      }

      const compressions = new Map<string, Promise<Uint8Array>>()

      /** Compresses a body once for all callers who ask for it meanwhile. */
      const compressShared = ({ body, digest }: PublicAnswer, coding: Coding) => {
        const name = `${digest} ${coding}`
        const compression =
          compressions.get(name) ??
          runPromise(compress(body, coding)).finally(() => compressions.delete(name))
        compressions.set(name, compression)
        return Effect.promise(() => compression)
      }

      return PublicAnswers.of({
        get: <E, R>(request: PublicRequest, make: Effect.Effect<PublicAnswer, E, R>) =>
          Effect.withFiber((fiber): Effect.Effect<PublicAnswer, E, R> => {
            if (publicCacheMb === 0 || !isListening || fiber.getRef(AnswersMadeAnew)) return make
            const answer = store.find(request.key, clock.currentTimeMillisUnsafe())
            if (answer !== undefined) {
              store.addTarget(request.url, request.key)
              return Effect.as(Metric.update(hits, 1), answer)
            }
            const making = makings.get(request.key)
            // A reader who comes after a change may know of it.
            return making?.since === generations.now
              ? Effect.andThen(Metric.update(hits, 1), awaitAnswer<E>(making))
              : Effect.andThen(Metric.update(misses, 1), makeShared(request, make))
          }),

        find: (url, context) => {
          const answer = store.findTarget(url, clock.currentTimeMillisUnsafe())
          if (answer !== undefined) unrouted.updateUnsafe(1, context)
          return answer
        },

        coded: (key, answer, coding) =>
          Effect.suspend(() => {
            if (!store.has(key, answer)) return Effect.undefined
            const known = answer.coded.get(coding)
            if (known !== undefined) return Effect.succeed(known)
            return Effect.tap(compressShared(answer, coding), (bytes) =>
              Effect.sync(() => {
                store.addCoded(key, answer, coding, bytes)
                measureStore()
              })
            )
          }),

        changing
      })
    })
  )
}
