import { Context, Effect, Layer } from "effect"
import { now } from "../../platform/time/now.ts"
import type { Claim } from "../../platform/work/lease.ts"
import { makeTurn } from "./turn.ts"
import { type ClaimedWebhook, webhookWork } from "./webhookWork.sql.ts"

/** The work of sending to webhooks, one webhook at a time. */
export class WebhookTurns extends Context.Service<
  WebhookTurns,
  {
    /** Claims webhooks for which something is due. */
    readonly claim: (claim: Claim) => Effect.Effect<ReadonlyArray<ClaimedWebhook>>
    /** Sends what is due for a claimed webhook, in the order of its events. */
    readonly turn: (webhook: ClaimedWebhook) => Effect.Effect<void>
    /** Makes a claimed webhook due again at once. */
    readonly release: (webhook: ClaimedWebhook) => Effect.Effect<boolean>
  }
>()("pennypress/engagement/webhooks/WebhookTurns") {
  static readonly layer = Layer.effect(
    WebhookTurns,
    Effect.gen(function* () {
      const rows = yield* webhookWork
      return WebhookTurns.of({
        claim: rows.claim,
        turn: yield* makeTurn,
        release: (webhook) => Effect.flatMap(now, (at) => rows.release(webhook, at))
      })
    })
  )
}
