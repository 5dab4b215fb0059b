import { Array, Context, Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import {
  DELIVERIES_DEFAULT,
  type DeliveriesQuery,
  type Delivery,
  type DeliveryPage,
  type DeliveryWithLog,
  REDELIVERED_MAX,
  type RedeliveryRequest
} from "../../../schemas/engagement/webhooks/Delivery.ts"
import { WebhookDisabled } from "../../../schemas/engagement/webhooks/errors.ts"
import { NotFound, Validation } from "../../../schemas/platform/errors/common.ts"
import { type OwnerId, WebhookDeliveryId, type WebhookId } from "../../../schemas/platform/Ids.ts"
import { Cursors } from "../../platform/cursors/Cursors.ts"
import { makePageAfter } from "../../platform/cursors/pageAfter.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { now } from "../../platform/time/now.ts"
import { Doorbells } from "../../platform/work/Doorbells.ts"
import { deliveryStatements, HELD_MAX, type NewDelivery } from "./deliveries.sql.ts"
import { testBody } from "./testBody.ts"
import { deliveryOf } from "./webhookRow.ts"
import { webhookStatements } from "./webhooks.sql.ts"
import { WEBHOOKS } from "./webhookWork.sql.ts"

const tooMany = (message: string) =>
  new Validation({ errors: [{ field: "since", code: "too_many", message }] })

const decodePosition = Schema.decodeUnknownOption(Schema.Tuple([WebhookDeliveryId]))

/** Deliveries of webhooks: their log, tests, and sending again. */
export class WebhookDeliveries extends Context.Service<
  WebhookDeliveries,
  {
    /** Lists deliveries, newest first. A page of a filter that is rare has fewer than its limit. Fails for a cursor of another list. */
    readonly list: (
      owner: OwnerId,
      webhook: WebhookId,
      query: DeliveriesQuery
    ) => Effect.Effect<DeliveryPage, NotFound | Validation>
    readonly read: (
      owner: OwnerId,
      webhook: WebhookId,
      id: WebhookDeliveryId
    ) => Effect.Effect<DeliveryWithLog, NotFound>
    /** Makes a delivery with an example of a type. */
    readonly test: (
      owner: OwnerId,
      webhook: WebhookId,
      type: string | undefined
    ) => Effect.Effect<Delivery, NotFound | WebhookDisabled>
    /** Makes a delivery due, with the same id and body, and a schedule that begins again. */
    readonly redeliverOne: (
      owner: OwnerId,
      webhook: WebhookId,
      id: WebhookDeliveryId
    ) => Effect.Effect<Delivery, NotFound | WebhookDisabled>
    /**
     * Makes every event of a time due that the webhook did not get. Returns their number. Fails with `Validation` for more than
     * 10,000 events, and as long as more than 20,000 deliveries wait.
     */
    readonly redeliver: (
      owner: OwnerId,
      webhook: WebhookId,
      request: RedeliveryRequest
    ) => Effect.Effect<number, NotFound | Validation | WebhookDisabled>
  }
>()("pennypress/engagement/webhooks/WebhookDeliveries") {
  static readonly layer = Layer.effect(
    WebhookDeliveries,
    Effect.gen(function* () {
      const webhooks = yield* webhookStatements
      const deliveries = yield* deliveryStatements
      const transactions = yield* Transactions
      const random = yield* SecureRandom.SecureRandom
      const cursors = yield* Cursors
      const pageAfter = yield* makePageAfter(decodePosition)
      const { ring } = (yield* Doorbells).bell(WEBHOOKS)

      const find = Effect.fnUntraced(function* (owner: OwnerId, id: WebhookId) {
        const row = yield* webhooks.find(owner, id)
        return Option.isSome(row) ? row.value : yield* new NotFound()
      })

      /** Holds a webhook that is on. */
      const hold = Effect.fnUntraced(function* (owner: OwnerId, id: WebhookId) {
        const row = yield* webhooks.hold(owner, id)
        if (Option.isNone(row)) return yield* new NotFound()
        if (row.value.disabled_reason !== null) return yield* new WebhookDisabled()
        return row.value
      })

      const wake = Effect.fnUntraced(function* (id: WebhookId, at: Date) {
        yield* webhooks.wake(id, at)
        yield* ring
      })

      /** Makes some events due again, in a transaction of their own. */
      const queueAgain = Effect.fnUntraced(
        function* (owner: OwnerId, webhook: WebhookId, some: ReadonlyArray<NewDelivery>) {
          yield* hold(owner, webhook)
          if (yield* deliveries.isOverfull(webhook))
            return yield* tooMany("Too many events wait for this webhook: send more once they arrived")
          const at = yield* now
          yield* deliveries.queueAgain(some, webhook, at)
          yield* wake(webhook, at)
        },
        (effect) => transactions.run(effect)
      )

      return WebhookDeliveries.of({
        list: Effect.fn("WebhookDeliveries.list")(function* (owner, webhook, query) {
          yield* find(owner, webhook)
          const { cursor, limit = DELIVERIES_DEFAULT, ...filters } = query
          const list = `webhook deliveries ${webhook} ${JSON.stringify([filters.state, filters.type, filters.since])}`
          const after = yield* pageAfter(list, cursor)
          const { deliveries: rows, read_until } = yield* deliveries.slice(webhook, {
            ...filters,
            after,
            limit
          })
          const last = rows.length > limit ? rows[limit - 1]?.id : read_until
          const nextCursor = typeof last === "string" ? yield* cursors.make(list, [last]) : null
          return {
            data: rows.slice(0, limit).map(deliveryOf),
            pagination: { limit, nextCursor, hasMore: nextCursor !== null }
          }
        }),

        read: Effect.fn("WebhookDeliveries.read")(function* (owner, webhook, id) {
          yield* find(owner, webhook)
          const row = yield* deliveries.find(webhook, id)
          if (Option.isNone(row) || row.value.body === null) return yield* new NotFound()
          const { body, log, responses } = row.value
          return {
            ...deliveryOf(row.value),
            body,
            attemptLog: log.map(({ at, code, durationMillis, number, status, trigger }) => ({
              number,
              at,
              trigger,
              status,
              code,
              durationMillis,
              response: responses?.[number] ?? null
            }))
          }
        }),

        test: Effect.fn("WebhookDeliveries.test")(
          function* (owner, webhook, type) {
            const { events } = yield* hold(owner, webhook)
            const at = yield* now
            const eventId = yield* random.uuidV7()
            const id = yield* random.uuidV7()
            const body = testBody(eventId, type, events, at)
            const row = yield* deliveries.insertTest({ id, webhookId: webhook, eventId, body, at })
            yield* wake(webhook, at)
            return deliveryOf(row)
          },
          (effect) => transactions.run(effect)
        ),

        redeliverOne: Effect.fn("WebhookDeliveries.redeliverOne")(
          function* (owner, webhook, id) {
            yield* hold(owner, webhook)
            const at = yield* now
            const row = yield* deliveries.again(webhook, id, at)
            if (Option.isNone(row)) return yield* new NotFound()
            yield* wake(webhook, at)
            return deliveryOf(row.value)
          },
          (effect) => transactions.run(effect)
        ),

        redeliver: Effect.fn("WebhookDeliveries.redeliver")(function* (owner, webhook, { since, until }) {
          const { events } = yield* hold(owner, webhook)
          const missed = yield* deliveries.missed(owner, webhook, events, since, until)
          if (missed.length > REDELIVERED_MAX)
            return yield* tooMany("At most 10,000 events are sent again at a time: name a shorter time")
          if (missed.length === 0) return 0
          const made = yield* Effect.forEach(missed, ({ id }) =>
            Effect.map(random.uuidV7(), (made) => ({ id: made, webhookId: webhook, eventId: id }))
          )
          for (const some of Array.chunksOf(made, HELD_MAX)) yield* queueAgain(owner, webhook, some)
          return missed.length
        })
      })
    })
  )
}
