import { Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { DAY_MILLIS, later, MINUTE_MILLIS, now } from "../time/now.ts"
import { Doorbells } from "../work/Doorbells.ts"
import { type DueEvent, eventStatements } from "./events.sql.ts"
import type { NewEvent } from "./facts.ts"

/** The kind of work that the bell, metrics and logs name. */
export const EVENTS = "events"

/** Events are kept for this time. */
export const EVENT_LIFE_MILLIS = 30 * DAY_MILLIS

/** Time after which an event that could not be numbered is tried again. */
const POSTPONED_MILLIS = 60 * MINUTE_MILLIS

/** Maximum number of events that get their numbers in one transaction. */
export const NUMBERED_MAX = 500

/** An event with its `data` as programs get it. */
export interface EventWithData {
  readonly event: DueEvent
  readonly data: unknown
}

/** An event with its number and its body. */
export interface NumberedEvent {
  readonly id: string
  readonly ownerId: OwnerId
  readonly type: DueEvent["type"]
  readonly sequence: number
  readonly body: string
}

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
    /**
     * Says whether webhooks of an owner hear of events. Call it in the transaction that turns one on, before its row is locked:
     * the dispatcher locks in this order.
     */
    readonly setHeard: (owner: OwnerId, hasWebhooks: boolean) => Effect.Effect<void>
    /** Takes events that are due, oldest first. Other processes wait until the surrounding transaction ends. */
    readonly take: (limit: number) => Effect.Effect<ReadonlyArray<DueEvent>>
    /** Makes an event that could not be numbered due in an hour. */
    readonly postpone: (id: string) => Effect.Effect<void>
    /**
     * Gives taken events the next numbers of their owners, and makes their bodies. Deletes those that `made` lacks. Call it in
     * the transaction of `take`.
     */
    readonly number: (
      taken: ReadonlyArray<DueEvent>,
      made: ReadonlyArray<EventWithData>
    ) => Effect.Effect<ReadonlyArray<NumberedEvent>>
    /** Records the events of an owner until this time, or for longer. */
    readonly listen: (owner: OwnerId, until: Date) => Effect.Effect<void>
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

      /** Reserves the next numbers of each owner, and returns the events with theirs. */
      const numbered = Effect.fnUntraced(function* (made: ReadonlyArray<EventWithData>) {
        const counts = new Map<OwnerId, number>()
        for (const { event } of made) counts.set(event.owner_id, (counts.get(event.owner_id) ?? 0) + 1)
        const next = new Map<OwnerId, number>()
        for (const { last_sequence, owner_id } of yield* events.reserve(counts))
          next.set(owner_id, last_sequence - (counts.get(owner_id) ?? 0) + 1)
        return made.map(({ data, event: { id, owner_id: ownerId, timestamp, type } }): NumberedEvent => {
          const sequence = next.get(ownerId) ?? 0
          next.set(ownerId, sequence + 1)
          const body = JSON.stringify({ id, type, timestamp, sequence, data })
          return { id, ownerId, type, sequence, body }
        })
      })

      return Events.of({
        recordAll,
        listen: events.listen,
        take: (limit) => Effect.flatMap(now, (at) => Effect.andThen(events.lock, events.due(at, limit))),
        postpone: (id) => Effect.flatMap(now, (at) => events.postpone(id, later(at, POSTPONED_MILLIS))),
        number: Effect.fnUntraced(function* (taken, made) {
          if (made.length < taken.length) {
            const ids = new Set(made.map(({ event }) => event.id))
            yield* events.discard(taken.flatMap(({ id }) => (ids.has(id) ? [] : [id])))
          }
          if (made.length === 0) return []
          const all = yield* numbered(made)
          yield* events.number(all)
          return all
        }),
        record: Effect.fnUntraced(function* (event) {
          if (event.type !== "post.updated") return yield* recordAll([event])
          if (yield* events.recordUpdate(yield* identified(event), yield* now)) yield* ring
        }),
        setHeard: events.setHeard,
        sweep: Effect.gen(function* () {
          const at = yield* now
          const before = later(at, -EVENT_LIFE_MILLIS)
          yield* Effect.repeat(events.sweep(before, SWEPT_MAX), { while: (mayBeMore) => mayBeMore })
          yield* Effect.repeat(events.sweepAhead(before, at, SWEPT_MAX), { while: (mayBeMore) => mayBeMore })
        }).pipe(Effect.withSpan("Events.sweep"))
      })
    })
  )
}
