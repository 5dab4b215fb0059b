import { Effect } from "effect"
import type { OwnerId, WebhookId } from "../../../schemas/platform/Ids.ts"
import { Notices } from "../../publishing/posts/Notices.ts"
import { deliveryStatements } from "./deliveries.sql.ts"
import { webhookStatements } from "./webhooks.sql.ts"

interface OwnWebhook {
  readonly id: WebhookId
  readonly owner_id: OwnerId
}

/** Makes the functions that tell an owner that a webhook fails, and that turn one off. Both run in a transaction that holds it. */
export const makeEndings = Effect.gen(function* () {
  const webhooks = yield* webhookStatements
  const deliveries = yield* deliveryStatements
  const notices = yield* Notices

  const notify = (code: string, { id, owner_id }: OwnWebhook, since: Date, at: Date) =>
    notices.accountIssue({ ownerId: owner_id, code, cause: `${code} ${id} ${since.toISOString()}`, at })

  return {
    tell: (webhook: OwnWebhook, failingSince: Date, at: Date) =>
      notify("webhook_failing", webhook, failingSince, at),

    disable: Effect.fnUntraced(function* (webhook: OwnWebhook, reason: "failing" | "gone", at: Date) {
      yield* webhooks.disable(webhook.id, reason, at)
      if (reason === "gone") yield* deliveries.cancelWaiting(webhook.id)
      yield* notify("webhook_disabled", webhook, at, at)
    })
  }
})
