import { Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { DAY_MILLIS, later, now } from "../time/now.ts"
import { Doorbells } from "../work/Doorbells.ts"
import { eventStatements } from "./events.sql.ts"
import type { NewEvent } from "./facts.ts"

/** The kind of work that the bell, metrics and logs name. */
export const EVENTS = "events"

/** Events are kept for this time. */
export const EVENT_LIFE_MILLIS = 30 * DAY_MILLIS

/** Maximum number of events that one statement of a sweep deletes. */
const SWEPT_MAX = 5_000

/**
 * The outbox of events, which programs of owners get. An event is a row in the transaction of its cause. Owners to whom no one
 * listens get no rows.
 */
export class Events extends Context.Service<
  Events,
  {
    /** Records an event. Call it in the transaction of the cause. Updates of a Post within 30 seconds are one event. */
    readonly record: (event: NewEvent) => Effect.Effect<void>
    /** Records events of one cause, of any owners. */
    readonly recordAll: (events: ReadonlyArray<NewEvent>) => Effect.Effect<void>
    /** Deletes events that are 30 days old. */
    readonly sweep: Effect.Effect<void>
  }
>()("pennypress/platform/events/Events") {
  static readonly layer = Layer.effect(
    Events,
    Effect.gen(function* () {
      const events = yield* eventStatements
      const random = yield* SecureRandom.SecureRandom
      const { ring } = (yield* Doorbells).bell(EVENTS)

      const identified = (event: NewEvent) => Effect.map(random.uuidV7(), (id) => ({ ...event, id }))

      const recordAll = Effect.fnUntraced(function* (causes: ReadonlyArray<NewEvent>) {
        if (causes.length === 0) return
        if (yield* events.record(yield* Effect.forEach(causes, identified), yield* now)) yield* ring
      })

      return Events.of({
        recordAll,
        record: Effect.fnUntraced(function* (event) {
          if (event.type !== "post.updated") return yield* recordAll([event])
          if (yield* events.recordUpdate(yield* identified(event), yield* now)) yield* ring
        }),
        sweep: Effect.flatMap(now, (at) => events.sweep(later(at, -EVENT_LIFE_MILLIS), SWEPT_MAX)).pipe(
          Effect.repeat({ while: (mayBeMore) => mayBeMore }),
          Effect.asVoid,
          Effect.withSpan("Events.sweep")
        )
      })
    })
  )
}
