import { Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { ALL_EVENTS } from "../../../schemas/engagement/webhooks/Webhook.ts"
import type { EventType } from "../../../schemas/platform/EventType.ts"
import type { OwnerId, WebhookId } from "../../../schemas/platform/Ids.ts"
import { later, now } from "../../platform/time/now.ts"
import { Doorbells } from "../../platform/work/Doorbells.ts"
import { deliveryStatements, type NewDelivery, type ReceiverRow } from "./deliveries.sql.ts"
import { WEBHOOKS } from "./webhookWork.sql.ts"

/** An event that got its number and its body in the surrounding transaction. */
export interface QueuedEvent {
  readonly id: string
  readonly ownerId: OwnerId
  readonly type: EventType
  readonly sequence: number
}

/** Time for which a webhook counts as full. What waits for it is not counted for each event meanwhile. */
const FULL_MILLIS = 10_000

/** A webhook with the events that it subscribes to, in their order. */
interface Wanted {
  readonly webhook: ReceiverRow
  readonly events: ReadonlyArray<QueuedEvent>
}

/** Makes deliveries of events to the webhooks of their owners. */
export class WebhookQueue extends Context.Service<
  WebhookQueue,
  {
    /**
     * Makes deliveries of numbered events, and wakes their webhooks. Call it in the transaction that numbers them, once for all.
     * A webhook for which 10,000 wait gets no further ones, for ten seconds at least.
     */
    readonly enqueue: (events: ReadonlyArray<QueuedEvent>) => Effect.Effect<void>
  }
>()("pennypress/engagement/webhooks/WebhookQueue") {
  static readonly layer = Layer.effect(
    WebhookQueue,
    Effect.gen(function* () {
      const deliveries = yield* deliveryStatements
      const random = yield* SecureRandom.SecureRandom
      const { ring } = (yield* Doorbells).bell(WEBHOOKS)

      /** Returns the room of each webhook for its events. One that was full a moment ago is not counted again. A clock may be set back. */
      const roomFor = Effect.fnUntraced(function* (wanted: ReadonlyArray<Wanted>, at: Date) {
        const before = later(at, -FULL_MILLIS)
        const unsure = wanted.filter(
          ({ events, webhook: { counted_at, room } }) =>
            events.length > room && (counted_at === null || counted_at <= before || counted_at > at)
        )
        const rooms = new Map(wanted.map(({ webhook }) => [webhook.id, webhook.room]))
        if (unsure.length === 0) return rooms
        const ids = unsure.map(({ webhook }) => webhook.id)
        for (const { id, room } of yield* deliveries.count(ids, at)) rooms.set(id, room)
        return rooms
      })

      return WebhookQueue.of({
        enqueue: Effect.fn("WebhookQueue.enqueue")(function* (events) {
          const ofOwners = Map.groupBy(
            events.toSorted((a, b) => a.sequence - b.sequence),
            ({ ownerId }) => ownerId
          )
          if (ofOwners.size === 0) return
          const wanted = (yield* deliveries.receivers([...ofOwners.keys()])).map((webhook): Wanted => ({
            webhook,
            events: (ofOwners.get(webhook.owner_id) ?? []).filter(
              ({ type }) => webhook.events.includes(ALL_EVENTS) || webhook.events.includes(type)
            )
          }))
          const at = yield* now
          const rooms = yield* roomFor(wanted, at)
          const made: Array<NewDelivery> = []
          const counts = new Map<WebhookId, number>()
          for (const { events, webhook } of wanted) {
            const queued = events.slice(0, rooms.get(webhook.id))
            if (queued.length > 0) counts.set(webhook.id, queued.length)
            for (const event of queued)
              made.push({ id: yield* random.uuidV7(), webhookId: webhook.id, eventId: event.id })
          }
          if (made.length === 0) return
          yield* deliveries.queue(made, counts, at)
          yield* ring
        })
      })
    })
  )
}
