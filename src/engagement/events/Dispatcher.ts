import { Context, Effect, Layer, Metric } from "effect"
import { Events, NUMBERED_MAX, type NumberedEvent } from "../../platform/events/Events.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { WebhookQueue } from "../webhooks/WebhookQueue.ts"
import { makeBodies } from "./bodies.ts"

const dispatched = Metric.counter("events_dispatched_total", {
  description: "Events of owners that got their numbers, by type",
  incremental: true
})

/** Numbers the events of the outbox and makes their bodies, which every program gets. */
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

      /** Numbers some events. Returns true when there may be more. */
      const step = transactions.run(
        Effect.gen(function* () {
          const taken = yield* events.take
          if (taken.length === 0) return false
          const numbered = yield* events.number(taken, yield* bodiesOf(taken))
          yield* queue.enqueue(numbered)
          yield* transactions.afterCommit(count(numbered))
          return taken.length === NUMBERED_MAX
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
