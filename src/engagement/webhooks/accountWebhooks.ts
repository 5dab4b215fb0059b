import { Effect } from "effect"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { Events } from "../../platform/events/Events.ts"
import { now } from "../../platform/time/now.ts"
import { Doorbells } from "../../platform/work/Doorbells.ts"
import { webhookStatements } from "./webhooks.sql.ts"
import { WEBHOOKS } from "./webhookWork.sql.ts"

/**
 * Makes the function that lets the webhooks of an account rest as long as it is restricted. Call it in the transaction that
 * restricts the account, or ends that.
 */
export const makeSetResting = Effect.gen(function* () {
  const webhooks = yield* webhookStatements
  const events = yield* Events
  const { ring } = (yield* Doorbells).bell(WEBHOOKS)

  return Effect.fnUntraced(function* (owner: OwnerId, isResting: boolean) {
    const at = yield* now
    if (isResting) {
      yield* webhooks.rest(owner, at)
      return
    }
    if (!(yield* webhooks.isResting(owner))) return
    yield* events.setHeard(owner, true)
    yield* webhooks.resume(owner, at)
    yield* ring
  })
})

/** Reads the webhooks of an account for its export. */
export const exportedWebhooks = Effect.map(webhookStatements, ({ exported }) => exported)

/** Erases the webhooks of accounts that are deleted. */
export const webhookErasure = Effect.map(webhookStatements, ({ eraseSome }) => ({ eraseSome }))
