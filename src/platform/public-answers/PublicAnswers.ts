import { Clock, Context, Deferred, Effect, type Exit, Layer, Metric, Schedule, Scope, Stream } from "effect"
import type { LimitName } from "../../../schemas/platform/rate-limits/limits.ts"
import type { Coding } from "../ports/AnswerBytes.ts"
import { Replicas } from "../ports/Replicas.ts"
import { Settings } from "../ports/Settings.ts"
import { type Heard, Signals } from "../ports/Signals.ts"
import { Transactions } from "../sql/Transactions.ts"
import { coalesced } from "../work/coalesced.ts"
import { AnswersInTheMaking, concerns, type Happening, type Making } from "./AnswersInTheMaking.ts"
import { AnswerStore, type PublicAnswer } from "./AnswerStore.ts"
import { ChangesUnderWay } from "./ChangesUnderWay.ts"
import { makeCodings } from "./codings.ts"
import { NewestChange } from "./NewestChange.ts"
import { makeOutage } from "./outage.ts"
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
    "Public answers from the store before routing (unrouted) and after it (hit), instead of an unavailable database (stale), and newly made ones (miss)",
  incremental: true
})
const unrouted = Metric.withAttributes(lookups, { outcome: "unrouted" })
const hits = Metric.withAttributes(lookups, { outcome: "hit" })
const misses = Metric.withAttributes(lookups, { outcome: "miss" })
const standIns = Metric.withAttributes(lookups, { outcome: "stale" })
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
  /** True for money, and for what changes without notice. A replica may be a moment behind. */
  readonly onPrimary?: boolean
}

/** The names of a request for a public answer. */
export interface PublicRequest extends Pick<PublicRead<never>, "key" | "onPrimary"> {
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
 * - A replica makes an answer only if it has each change that this process ended or heard of.
 * - While the database is unavailable, what was kept when it was last heard is sent for a minute, marked as old.
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
    /** Returns true while kept answers stand in for an unavailable database. */
    readonly standIn: Effect.Effect<boolean>
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
    /**
     * Runs an effect that only adds to what these things show, as `changing` does. The answers from before it show nothing
     * that readers must not see any more, so they still stand in for an unavailable database.
     */
    readonly adding: (
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
      const replicas = yield* Replicas
      const scope = yield* Scope.Scope
      const clock = yield* Clock.Clock

      const store = new AnswerStore(publicCacheMb * MEBIBYTE)
      const underWay = { changed: new ChangesUnderWay(), added: new ChangesUnderWay() }
      underWay.changed.begin([tags.never])
      const making = new AnswersInTheMaking()
      const context = yield* Effect.context<never>()
      const measureStore = () => keptBytes.updateUnsafe(store.bytes, context)
      const coded = yield* makeCodings(store)
      const outage = yield* makeOutage(store, () => {
        store.clear()
        measureStore()
      })
      let isListening = false
      const newest = new NewestChange()

      const end = (what: Happening, shown: ReadonlyArray<string>) => {
        if (what === "changed") store.drop(shown)
        else store.surpass(shown)
        measureStore()
        making.note(what, shown)
      }

      const tellOthers = yield* coalesced((changed) =>
        signals
          .send("public_answers", changed)
          .pipe(Effect.retry(RETRY), Effect.map(newest.announce()), Effect.ignore)
      )

      const follow = (event: Heard) =>
        Effect.suspend(() => {
          if (event._tag === "lost") newest.forget()
          else newest.hear(event.position)
          if (event._tag === "signal")
            return Effect.sync(() =>
              event.text.startsWith(ADDED)
                ? end("added", [event.text.slice(ADDED.length)])
                : end("changed", [event.text])
            )
          const wasListening = isListening
          isListening = event._tag === "listening"
          making.note("changed")
          // In an outage, the signals of some changes were given up. This one changes nothing, and brings their position.
          if (isListening && newest.position === undefined) tellOthers(tags.never)
          if (event._tag === "listening") return outage.end
          return wasListening ? outage.begin(event.silentMillis) : Effect.void
        })

      yield* Effect.forkScoped(Stream.runForEach(signals.heard("public_answers"), follow))

      const surrounding =
        (what: Happening): PublicAnswers["Service"]["changing"] =>
        (shown) =>
        (effect) =>
          Effect.suspend(() => {
            underWay[what].begin(shown)
            const ended = Effect.sync(() => {
              underWay[what].end(shown)
              end(what, shown)
              if (shown.length > 0) newest.end()
              for (const tag of shown) tellOthers(what === "added" ? ADDED + tag : tag)
            })
            return Effect.onExit(effect, () => transactions.atEnd(ended))
          })

      const isCurrent = ({ tags: shown }: PublicAnswer) =>
        !underWay.changed.includeAny(shown) && !underWay.added.includeAny(shown)

      /** Returns true unless something that a made answer shows changed since its making began, or is changing. */
      const isStillCurrent = ({ added, changed }: Making, answer: PublicAnswer) =>
        !concerns(changed, answer) && !concerns(added, answer) && isCurrent(answer)

      const keep = ({ key, url }: PublicRequest, made: Making, answer: PublicAnswer) => {
        if (!isListening || concerns(made.changed, answer) || underWay.changed.includeAny(answer.tags)) return
        const until = clock.currentTimeMillisUnsafe() + LIFE_MILLIS
        store.put(key, answer, until, !isStillCurrent(made, answer))
        store.alias(url, key)
        measureStore()
      }

      const awaitMade = <E>({ answer }: Making) =>
        Deferred.await(answer as Deferred.Deferred<PublicAnswer, E>)

      const find = (answer: PublicAnswer | undefined) =>
        answer !== undefined && isCurrent(answer) ? answer : undefined

      /** Returns and counts an answer that stands in for the database, unless a change is about to end it. */
      const standing = (answer: PublicAnswer | undefined) => {
        if (answer === undefined || underWay.changed.includeAny(answer.tags)) return undefined
        standIns.updateUnsafe(1, context)
        return answer
      }

      return PublicAnswers.of({
        get: <E, R>(request: PublicRequest, make: Effect.Effect<PublicAnswer, E, R>) =>
          Effect.withFiber((fiber): Effect.Effect<PublicAnswer, E, R> => {
            if (publicCacheMb === 0 || fiber.getRef(AnswersMadeAnew)) return make
            if (!isListening)
              return outage.get(request.key, (at) => standing(store.find(request.key, at, true)), make)
            const kept = find(store.find(request.key, clock.currentTimeMillisUnsafe()))
            if (kept !== undefined) {
              store.alias(request.url, request.key)
              return Effect.as(Metric.update(hits, 1), kept)
            }
            const others = making.shared(request.key)
            if (others !== undefined) return Effect.andThen(Metric.update(hits, 1), awaitMade<E>(others))
            const made = making.begin(request.key)
            const finish = (exit: Exit.Exit<PublicAnswer, E>) => {
              making.end(request.key, made)
              if (exit._tag === "Success") keep(request, made, exit.value)
              Deferred.doneUnsafe(made.answer, exit)
            }
            // This runs in a fiber of its own, so a client that goes away does not end the answer for others.
            const atLeast = request.onPrimary === true ? undefined : newest.position
            const read = replicas.read(atLeast, make, (answer) => isStillCurrent(made, answer))
            const all = Effect.onExit(read, (exit) => Effect.sync(() => finish(exit)))
            return Metric.update(misses, 1).pipe(
              Effect.andThen(Effect.forkIn(all, scope, { startImmediately: true })),
              Effect.andThen(awaitMade<E>(made))
            )
          }),

        kept: (url, context) => {
          if (!isListening) return outage.standIn((at) => standing(store.findUrl(url, at, true)))
          const found = find(store.findUrl(url, clock.currentTimeMillisUnsafe()))
          if (found !== undefined) unrouted.updateUnsafe(1, context)
          return found
        },

        standIn: Effect.sync(outage.hasAnswers),

        coded,
        changing: surrounding("changed"),
        adding: surrounding("added")
      })
    })
  )
}

/** Begins the signal of an addition. */
const ADDED = "+"
