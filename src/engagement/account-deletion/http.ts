import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import { CurrentOwner } from "../../../schemas/platform/security/authorities.ts"
import { Settings } from "../../platform/ports/Settings.ts"
import { clientOf } from "../../platform/rate-limits/clientAddress.ts"
import { wireTime } from "../../platform/time/now.ts"
import { AccountDeletions } from "./AccountDeletions.ts"

const SENT = "A code is on its way to the address of this account. The code is valid for ten minutes."

/** The operations that delete an account, and keep it. */
export const AccountDeletionHttp = HttpApiBuilder.group(
  Api,
  "accountDeletion",
  Effect.fnUntraced(function* (handlers) {
    const deletions = yield* AccountDeletions
    const { trustedProxies } = yield* Settings

    return handlers.handleAll({
      read: Effect.fnUntraced(function* () {
        return yield* deletions.read(yield* CurrentOwner)
      }),
      challenge: Effect.fnUntraced(function* ({ request }) {
        const client = clientOf(request, trustedProxies)
        const made = yield* deletions.challenge(yield* CurrentOwner, client)
        return made.kind === "signature"
          ? made.challenge
          : { message: SENT, expiresAt: wireTime(made.expiresAt) }
      }),
      request: Effect.fnUntraced(function* ({ payload }) {
        return yield* deletions.request(yield* CurrentOwner, payload)
      }),
      keep: Effect.fnUntraced(function* () {
        return yield* deletions.keep(yield* CurrentOwner)
      })
    })
  })
)
