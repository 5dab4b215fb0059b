import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { OutsideHttpMemory } from "../../../layers/testing/OutsideHttpMemory.ts"
import { WebhookDeliveries } from "../../../src/engagement/webhooks/WebhookDeliveries.ts"
import { Webhooks } from "../../../src/engagement/webhooks/Webhooks.ts"
import { WebhooksWorker } from "../../../src/engagement/webhooks/WebhooksWorker.ts"
import { insertOwner } from "../../support/actors/storedOwner.ts"
import { database } from "../../support/Database.ts"
import { eventually } from "../../support/eventually.ts"
import { service } from "../../support/TestClient.ts"

const OWNERS = 6
const WEBHOOKS = 10
/** One in twenty hangs. */
const HANGING = 3
const ROUNDS = 5
/** Milliseconds that an answer takes. */
const ANSWER_MILLIS = 20

const urlOf = (run: number, owner: number, n: number) => `https://r-${run}-${owner}-${n}.example/`

describe("receivers that hang", () => {
  it.live("One receiver in twenty that hangs does not double the time of the others", () =>
    Effect.gen(function* () {
      const outside = yield* OutsideHttpMemory
      const webhooks = yield* Webhooks
      const deliveries = yield* WebhookDeliveries

      /** Sends tests to sixty webhooks, and returns the 95th percentile of the times of those that do not hang. */
      const measured = Effect.fnUntraced(function* (run: number, hanging: number) {
        const arrivals = new Map<string, number>()
        const began = new Map<string, number>()
        const made: Array<{
          readonly owner: Parameters<typeof webhooks.list>[0]
          readonly id: any
          readonly hangs: boolean
        }> = []
        for (let o = 0; o < OWNERS; o++) {
          const owner = yield* insertOwner(run * 100 + o)
          for (let n = 0; n < WEBHOOKS; n++) {
            const hangs = made.length < hanging
            const url = urlOf(run, o, n)
            yield* outside.receive(url, ({ body }) =>
              hangs
                ? Effect.never
                : Effect.flatMap(Clock.currentTimeMillis, (at) =>
                    Effect.as(
                      Effect.delay(
                        Effect.sync(() => arrivals.set(JSON.parse(body).id, at)),
                        ANSWER_MILLIS
                      ),
                      {}
                    )
                  )
            )
            const { value } = yield* webhooks.create(owner, { url, events: ["*"] }, undefined)
            made.push({ owner, id: value.webhook.id, hangs })
          }
        }
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* Layer.build(Layer.fresh(WebhooksWorker))
            for (let round = 0; round < ROUNDS; round++)
              for (const { hangs, id, owner } of made) {
                const { eventId } = yield* deliveries.test(owner, id, undefined)
                if (!hangs) began.set(eventId, yield* Clock.currentTimeMillis)
              }
            yield* eventually(
              "all arrive",
              Effect.sync(() => [...began.keys()].every((id) => arrivals.has(id)))
            )
          })
        )
        const times = [...began]
          .map(([id, at]) => (arrivals.get(id) ?? Infinity) - at)
          .toSorted((a, b) => a - b)
        return times[Math.floor(times.length * 0.95)] ?? Infinity
      })

      const without = yield* measured(1, 0)
      const beside = yield* measured(2, HANGING)
      // A busy machine adds some time of its own.
      assert.isAtMost(beside, 2 * without + 100, `${without} ms without, ${beside} ms beside`)
    }).pipe(Effect.provide(service(database("test_webhook_isolation"))))
  )
})
