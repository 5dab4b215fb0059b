import { Cause, Context, Effect, Layer, Metric } from "effect"
import type { DueEvent } from "../../platform/events/events.sql.ts"
import { Events, NUMBERED_MAX, type NumberedEvent } from "../../platform/events/Events.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { unavailableDependency } from "../../platform/sql/unavailable.ts"
import { WebhookQueue } from "../webhooks/WebhookQueue.ts"
import { makeBodies } from "./bodies.ts"

const dispatched = Metric.counter("events_dispatched_total", {
  description: "Events of owners that got their numbers, by type",
  incremental: true
})

/** Returns true for a fault of an event or of the program, which the same events meet again. */
const isFault = (cause: Cause.Cause<never>) =>
  !Cause.hasInterrupts(cause) && unavailableDependency(Cause.squash(cause)) === undefined

/** Numbers the events of the outbox and makes their bodies, which every program gets. */
export class Dispatcher extends Context.Service<
  Dispatcher,
  {
    /**
     * Numbers all events that are due. Processes take turns, so the numbers of an owner have no gaps and become visible in
     * their order. An event that cannot be numbered holds up no other: it is logged, and tried again in an hour.
     */
    readonly dispatch: Effect.Effect<void>
  }
>()("pennypress/engagement/events/Dispatcher") {
  static readonly layer = Layer.effect(
    Dispatcher,
    Effect.gen(function* () {
      const events = yield* Events
      const transactions = yield* Transactions
      const bodiesOf = yield* makeBodies
      const queue = yield* WebhookQueue

      const count = (numbered: ReadonlyArray<NumberedEvent>) =>
        Effect.forEach(
          numbered,
          ({ type }) => Metric.update(Metric.withAttributes(dispatched, { type }), 1),
          { discard: true }
        )

      const postpone = Effect.fnUntraced(function* (
        [event]: ReadonlyArray<DueEvent>,
        cause: Cause.Cause<never>
      ) {
        if (event === undefined) return 0
        yield* Effect.logError("An event could not be numbered: it is tried again in an hour", cause).pipe(
          Effect.annotateLogs({ id: event.id, type: event.type })
        )
        yield* events.postpone(event.id)
        return 1
      })

      /** Numbers some events, and returns how many the next step takes; 0 when none is left. */
      const step = (limit: number) => {
        let taken: ReadonlyArray<DueEvent> = []
        const number = Effect.gen(function* () {
          taken = yield* events.take(limit)
          if (taken.length === 0) return 0
          const numbered = yield* events.number(taken, yield* bodiesOf(taken))
          yield* queue.enqueue(numbered)
          yield* transactions.afterCommit(count(numbered))
          return taken.length < limit ? 0 : Math.min(2 * limit, NUMBERED_MAX)
        })
        return transactions.run(number).pipe(
          Effect.catchCauseIf(
            (cause) => isFault(cause) && taken.length > 0,
            (cause) =>
              taken.length > 1 ? Effect.succeed(Math.ceil(taken.length / 2)) : postpone(taken, cause)
          )
        )
      }

      return Dispatcher.of({
        dispatch: Effect.gen(function* () {
          let limit = NUMBERED_MAX
          while (limit > 0) limit = yield* step(limit)
        }).pipe(Effect.withSpan("Dispatcher.dispatch"))
      })
    })
  )
}
