import { Context, Effect, Layer, Metric } from "effect"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { eventStatements, type NumberedEvent } from "../../platform/events/events.sql.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { now } from "../../platform/time/now.ts"
import { type EventWithData, makeBodies } from "./bodies.ts"

/** Maximum number of events that one transaction numbers. */
const EVENTS_MAX = 500

const dispatched = Metric.counter("events_dispatched_total", {
  description: "Events that got a number, by type",
  incremental: true
})

/** Numbers the events of the outbox and makes their bodies, which every receiver gets. */
export class Dispatcher extends Context.Service<
  Dispatcher,
  {
    /**
     * Numbers all events that are due. Processes take turns, so the numbers of an owner have no gaps and become visible in
     * their order.
     */
    readonly dispatch: Effect.Effect<void>
  }
>()("pennypress/engagement/events/Dispatcher") {
  static readonly layer = Layer.effect(
    Dispatcher,
    Effect.gen(function* () {
      const events = yield* eventStatements
      const transactions = yield* Transactions
      const bodiesOf = yield* makeBodies

      /** Reserves the next numbers of each owner, and returns the events with theirs. */
      const numbered = Effect.fnUntraced(function* (bodies: ReadonlyArray<EventWithData>) {
        const counts = new Map<OwnerId, number>()
        for (const { event } of bodies) counts.set(event.owner_id, (counts.get(event.owner_id) ?? 0) + 1)
        const next = new Map<OwnerId, number>()
        for (const { last_sequence, owner_id } of yield* events.reserve(counts))
          next.set(owner_id, last_sequence - (counts.get(owner_id) ?? 0) + 1)
        return bodies.map(({ data, event: { id, owner_id, timestamp, type } }): NumberedEvent => {
          const sequence = next.get(owner_id) ?? 0
          next.set(owner_id, sequence + 1)
          return { id, sequence, body: JSON.stringify({ id, type, timestamp, sequence, data }) }
        })
      })

      const count = (bodies: ReadonlyArray<EventWithData>) =>
        Effect.forEach(
          bodies,
          ({ event: { type } }) => Metric.update(Metric.withAttributes(dispatched, { type }), 1),
          { discard: true }
        )

      /** Numbers some events. Returns true when there may be more. */
      const step = transactions.run(
        Effect.gen(function* () {
          yield* events.lock
          const due = yield* events.due(yield* now, EVENTS_MAX)
          if (due.length === 0) return false
          const bodies = yield* bodiesOf(due)
          if (bodies.length < due.length) {
            const made = new Set(bodies.map(({ event }) => event.id))
            yield* events.discard(due.flatMap(({ id }) => (made.has(id) ? [] : [id])))
          }
          if (bodies.length > 0) yield* events.number(yield* numbered(bodies))
          yield* transactions.afterCommit(count(bodies))
          return due.length === EVENTS_MAX
        })
      )

      return Dispatcher.of({
        dispatch: step.pipe(
          Effect.repeat({ while: (mayBeMore) => mayBeMore }),
          Effect.asVoid,
          Effect.withSpan("Dispatcher.dispatch")
        )
      })
    })
  )
}
