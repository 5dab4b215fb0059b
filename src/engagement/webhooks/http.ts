import { Effect } from "effect"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import { CurrentOwner } from "../../../schemas/platform/security/authorities.ts"
import { WebhookDeliveries } from "./WebhookDeliveries.ts"
import { Webhooks } from "./Webhooks.ts"

/** The operations on webhooks of the owner who calls. */
export const WebhooksHttp = HttpApiBuilder.group(
  Api,
  "webhooks",
  Effect.fnUntraced(function* (handlers) {
    const webhooks = yield* Webhooks
    const deliveries = yield* WebhookDeliveries
    const ownerId = Effect.map(CurrentOwner, (owner) => owner.ownerId)

    return handlers.handleAll({
      list: Effect.fnUntraced(function* () {
        return { webhooks: yield* webhooks.list(yield* ownerId) }
      }),
      create: Effect.fnUntraced(function* ({ headers, payload }) {
        const made = yield* webhooks.create(yield* ownerId, payload, headers["idempotency-key"])
        return HttpApiSchema.withHeaders({
          body: made.value,
          headers: made.replayed ? ({ "x-idempotency-replay": "true" } as const) : {}
        })
      }),
      read: Effect.fnUntraced(function* ({ params }) {
        return yield* webhooks.read(yield* ownerId, params.webhookId)
      }),
      change: Effect.fnUntraced(function* ({ params, payload }) {
        return yield* webhooks.change(yield* ownerId, params.webhookId, payload)
      }),
      remove: Effect.fnUntraced(function* ({ params }) {
        yield* webhooks.remove(yield* ownerId, params.webhookId)
      }),
      rotateSecret: Effect.fnUntraced(function* ({ params, payload }) {
        return yield* webhooks.rotateSecret(yield* ownerId, params.webhookId, payload.keepSeconds)
      }),
      deliveries: Effect.fnUntraced(function* ({ params, query }) {
        return yield* deliveries.list(yield* ownerId, params.webhookId, query)
      }),
      delivery: Effect.fnUntraced(function* ({ params }) {
        return yield* deliveries.read(yield* ownerId, params.webhookId, params.deliveryId)
      }),
      test: Effect.fnUntraced(function* ({ params, payload }) {
        return yield* deliveries.test(yield* ownerId, params.webhookId, payload.type)
      }),
      redeliverOne: Effect.fnUntraced(function* ({ params }) {
        return yield* deliveries.redeliverOne(yield* ownerId, params.webhookId, params.deliveryId)
      }),
      redeliver: Effect.fnUntraced(function* ({ params, payload }) {
        return { count: yield* deliveries.redeliver(yield* ownerId, params.webhookId, payload) }
      })
    })
  })
)
