import { Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { ALL_EVENTS } from "../../../schemas/engagement/webhooks/Webhook.ts"
import type { EventType } from "../../../schemas/platform/EventType.ts"
import { type OwnerId, WebhookId } from "../../../schemas/platform/Ids.ts"
import { now } from "../../platform/time/now.ts"
import { Doorbells } from "../../platform/work/Doorbells.ts"
import { deliveryStatements, type NewDelivery } from "./deliveries.sql.ts"
import { WEBHOOKS } from "./webhookWork.sql.ts"

/** An event that got its number and its body in the surrounding transaction. */
export interface QueuedEvent {
  readonly id: string
  readonly ownerId: OwnerId
  readonly type: EventType
  readonly sequence: number
}

/** Makes deliveries of events to the webhooks of their owners. */
export class WebhookQueue extends Context.Service<
  WebhookQueue,
  {
    /**
     * Makes deliveries of numbered events, and wakes their webhooks. Call it in the transaction that numbers them, once for all.
     * A webhook for which 10,000 wait gets no further ones.
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

      return WebhookQueue.of({
        enqueue: Effect.fn("WebhookQueue.enqueue")(function* (events) {
          const owners = [...new Set(events.map(({ ownerId }) => ownerId))]
          if (owners.length === 0) return
          const inOrder = events.toSorted((a, b) => a.sequence - b.sequence)
          const made: Array<NewDelivery> = []
          for (const webhook of yield* deliveries.receivers(owners)) {
            const matching = inOrder.filter(
              ({ ownerId, type }) =>
                ownerId === webhook.owner_id &&
                (webhook.events.includes(ALL_EVENTS) || webhook.events.includes(type))
            )
            for (const event of matching.slice(0, webhook.room))
              made.push({
                id: yield* random.uuidV7(),
                webhookId: WebhookId.make(webhook.id),
                eventId: event.id
              })
          }
          if (made.length === 0) return
          yield* deliveries.queue(made, yield* now)
          yield* ring
        })
      })
    })
  )
}
