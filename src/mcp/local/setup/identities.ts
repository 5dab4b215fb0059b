import { Effect, Redacted } from "effect"
import type { TokenPair } from "../../../../schemas/accounts/sessions/Session.ts"
import { toFailure } from "../failures/apiFailures.ts"
import { marked } from "../failures/marked.ts"
import type { Alone } from "../intents/alone.ts"
import { actingWith, ServiceApi } from "../service/ServiceApi.ts"
import { saveTokens } from "../service/Sessions.ts"
import { type IdentityMethod, readIdentity, saveIdentity } from "../state/identity.sql.ts"

/** A way in which an owner proved who they are. */
interface Proof {
  readonly method: IdentityMethod
  readonly walletAddress: string | null
}

/** Makes the step that selects the owner of a new session, or keeps to the owner who is selected. */
export const makeIdentities = Effect.gen(function* () {
  const { client } = yield* ServiceApi

  /**
   * Asks the service for the owner of the session, and saves both together. A session of another owner than the
   * selected one is ended, and replaces nothing.
   */
  return Effect.fnUntraced(function* (run: Alone, tokens: TokenPair, proof: Proof) {
    const session = Redacted.make(tokens.accessToken)
    const { owner } = yield* toFailure(actingWith(session)(client.me.read()))
    const isSelected = yield* run.save((tx) =>
      Effect.sync(() => {
        const known = readIdentity(tx)
        if (known !== undefined && known.ownerId !== owner.id) return false
        if (known === undefined) {
          saveIdentity(tx, { ownerId: owner.id, profileId: owner.id, handle: owner.handle, ...proof })
        }
        saveTokens(tx, tokens)
        return true
      })
    )
    if (!isSelected) {
      yield* Effect.ignore(actingWith(session)(client.sessions.logout()))
      return yield* marked("owner-mismatch")
    }
    return session
  })
})
