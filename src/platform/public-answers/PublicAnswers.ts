import { Clock, Context, Deferred, Effect, type Exit, Layer, Metric, Schedule, Scope, Stream } from "effect"
import type { LimitName } from "../../../schemas/platform/rate-limits/limits.ts"
import { AnswerBytes, type Coding } from "../ports/AnswerBytes.ts"
import { Settings } from "../ports/Settings.ts"
import { Signals } from "../ports/Signals.ts"
import { Transactions } from "../sql/Transactions.ts"
import { coalesced } from "../work/coalesced.ts"
import { AnswerStore, type PublicAnswer } from "./AnswerStore.ts"
import { ChangesUnderWay } from "./ChangesUnderWay.ts"
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
  /** Seconds that caches may keep the answer; 15 without it. */
  readonly maxAgeSeconds?: number
  /** The limit of its endpoint: `public-read` unless it names another. */
  readonly limit?: LimitName
}

/** The names of a request for a public answer. */
export interface PublicRequest {
  /** The canonical form: equal for requests that have the same answer. */
  readonly key: string
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

/** An answer that is being made, once for all callers who ask meanwhile. */
interface Making {
  readonly answer: Deferred.Deferred<PublicAnswer, unknown>
  /** Things that changed since it began: it may show them as they were before. */
  readonly changed: Set<string>
}

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
    readonly kept: (url: string, context: Context.Context<never>) => PublicAnswer | undefined
    /** Returns the body of a kept answer in a coding, which is made once; undefined for an answer that is not kept. */
    readonly coded: (
      key: string,
      answer: PublicAnswer,
      coding: Coding
    ) => Effect.Effect<Uint8Array | undefined>
    /**
     * Runs an effect that changes these things. From its beginning until the end of the surrounding transaction (or its
     * own end, without one), answers that show them are made for every reader. Then the kept answers are removed,
     * here and soon in other processes. This also happens after a failed transaction, because its commit may have
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
      const { compress } = yield* AnswerBytes
      const transactions = yield* Transactions
      const signals = yield* Signals
      const scope = yield* Scope.Scope
      const clock = yield* Clock.Clock

      const store = new AnswerStore(publicCacheMb * MEBIBYTE)
      const underWay = new ChangesUnderWay()
      underWay.begin([tags.never])
      /** Answers in the making that a new reader may share. */
      const shared = new Map<string, Making>()
      const making = new Set<Making>()
      const compressing = new WeakMap<PublicAnswer, Map<Coding, Promise<Uint8Array>>>()
      const context = yield* Effect.context<never>()
      const run = Effect.runPromiseWith(context)
      const measureStore = () => keptBytes.updateUnsafe(store.bytes, context)
      let isListening = false

      const end = (shown: ReadonlyArray<string>) => {
        store.drop(shown)
        measureStore()
        for (const it of making) for (const tag of shown) it.changed.add(tag)
        shared.clear()
      }

      const endAll = () => {
        store.clear()
        measureStore()
        for (const it of making) it.changed.add(EVERYTHING)
        shared.clear()
      }

      yield* signals.heard("public_answers").pipe(
        Stream.runForEach((event) =>
          Effect.sync(() => {
            if (event._tag === "signal") return end([event.text])
            isListening = event._tag === "listening"
            return endAll()
          })
        ),
        Effect.forkScoped
      )

      const tellOthers = yield* coalesced((changed) =>
        Effect.ignore(Effect.retry(signals.send("public_answers", changed), RETRY))
      )

      const ended = (shown: ReadonlyArray<string>) =>
        Effect.sync(() => {
          underWay.end(shown)
          end(shown)
          shown.forEach(tellOthers)
        })

      const isCurrent = (answer: PublicAnswer) => !underWay.includeAny(answer.tags)

      /** Keeps a made answer, unless something that it shows changed since its making began. */
      const keep = ({ key, url }: PublicRequest, { changed }: Making, answer: PublicAnswer) => {
        const isOutdated = changed.has(EVERYTHING) || answer.tags.some((tag) => changed.has(tag))
        if (!isListening || isOutdated || !isCurrent(answer)) return
        store.put(key, answer, clock.currentTimeMillisUnsafe() + LIFE_MILLIS)
        store.alias(url, key)
        measureStore()
      }

      const awaitMade = <E>({ answer }: Making) =>
        Deferred.await(answer as Deferred.Deferred<PublicAnswer, E>)

      /** Compresses a body once for all callers who ask for it meanwhile. */
      const compressed = (key: string, answer: PublicAnswer, coding: Coding) => {
        const under = compressing.get(answer) ?? new Map<Coding, Promise<Uint8Array>>()
        compressing.set(answer, under)
        const begun =
          under.get(coding) ??
          run(
            Effect.tap(compress(answer.body, coding), (bytes) =>
              Effect.sync(() => store.addCoded(key, answer, coding, bytes))
            )
          )
        under.set(coding, begun)
        return Effect.promise(() => begun)
      }

      const find = (answer: PublicAnswer | undefined) =>
        answer !== undefined && isCurrent(answer) ? answer : undefined

      return PublicAnswers.of({
        get: <E, R>(request: PublicRequest, make: Effect.Effect<PublicAnswer, E, R>) =>
          Effect.withFiber((fiber): Effect.Effect<PublicAnswer, E, R> => {
            if (publicCacheMb === 0 || !isListening || fiber.getRef(AnswersMadeAnew)) return make
            const kept = find(store.find(request.key, clock.currentTimeMillisUnsafe()))
            if (kept !== undefined) {
              store.alias(request.url, request.key)
              return Effect.as(Metric.update(hits, 1), kept)
            }
            const others = shared.get(request.key)
            if (others !== undefined) return Effect.andThen(Metric.update(hits, 1), awaitMade<E>(others))
            const made: Making = { answer: Deferred.makeUnsafe(), changed: new Set() }
            shared.set(request.key, made)
            making.add(made)
            const finish = (exit: Exit.Exit<PublicAnswer, E>) => {
              making.delete(made)
              if (shared.get(request.key) === made) shared.delete(request.key)
              if (exit._tag === "Success") keep(request, made, exit.value)
              Deferred.doneUnsafe(made.answer, exit)
            }
            // This runs in a fiber of its own: otherwise a client that goes away would end the answer for the others who
            // wait.
            const all = Effect.onExit(make, (exit) => Effect.sync(() => finish(exit)))
            return Metric.update(misses, 1).pipe(
              Effect.andThen(Effect.forkIn(all, scope, { startImmediately: true })),
              Effect.andThen(awaitMade<E>(made))
            )
          }),

        kept: (url, context) => {
          const found = find(store.findUrl(url, clock.currentTimeMillisUnsafe()))
          if (found !== undefined) unrouted.updateUnsafe(1, context)
          return found
        },

        coded: (key, answer, coding) =>
          Effect.suspend(() => {
            if (!store.has(key, answer)) return Effect.undefined
            const known = answer.coded.get(coding)
            return known === undefined ? compressed(key, answer, coding) : Effect.succeed(known)
          }),

        changing: (shown) => (effect) =>
          Effect.suspend(() => {
            underWay.begin(shown)
            return Effect.onExit(effect, () => transactions.atEnd(ended(shown)))
          })
      })
    })
  )
}

/** Stands for every thing that an answer may show. */
const EVERYTHING = "*"
