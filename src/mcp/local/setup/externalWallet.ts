import { Effect, type Redacted, Schema } from "effect"
import { ChallengeId } from "../../../../schemas/platform/Ids.ts"
import { type NanoAddress, NanoSignature, SignatureFormat } from "../../../../schemas/platform/Nano.ts"
import { toFailure } from "../failures/apiFailures.ts"
import { marked } from "../failures/marked.ts"
import type { Alone } from "../intents/alone.ts"
import { ServiceApi } from "../service/ServiceApi.ts"
import { readIdentity } from "../state/identity.sql.ts"
import { beginSetup, completeSetup, readClaim, removeClaims, saveClaim } from "../state/setup.sql.ts"
import { makeIdentities } from "./identities.ts"
import { makeKeys } from "./keys.ts"
import { requireNoSetup } from "./requireNoSetup.ts"

/** The content of an input file of `setup claim`. */
export const ClaimInput = Schema.Struct({
  challengeId: ChallengeId,
  signature: NanoSignature,
  signatureFormat: Schema.optionalKey(SignatureFormat)
})
export type ClaimInput = typeof ClaimInput.Type

/** Makes the two steps of an identity whose wallet is elsewhere: a message to sign, and its signature. */
export const makeExternalWalletSetup = Effect.gen(function* () {
  const { client } = yield* ServiceApi
  const select = yield* makeIdentities
  const ensureKey = yield* makeKeys

  /** Asks for a message, and keeps it until its signature comes. */
  const challenge = Effect.fnUntraced(function* (run: Alone, account: NanoAddress) {
    const asked = yield* toFailure(client.sessions.challengeWallet({ payload: { account } }))
    yield* run.save((tx) =>
      Effect.sync(() =>
        saveClaim(tx, { challengeId: asked.challengeId, account: asked.account, message: asked.message })
      )
    )
    return asked
  })

  return {
    challenge,

    /** Begins an identity of this wallet. */
    begin: Effect.fnUntraced(function* (run: Alone, account: NanoAddress) {
      yield* run.save((tx) =>
        Effect.gen(function* () {
          yield* requireNoSetup(tx)
          beginSetup(tx, "external-nano", null, null)
        })
      )
      return yield* challenge(run, account)
    }),

    /** Ends it with the signature, or gives the selected identity a new session. */
    claim: Effect.fnUntraced(function* (run: Alone, input: ClaimInput) {
      const account = yield* run.save((tx) =>
        Effect.gen(function* () {
          const identity = readIdentity(tx)
          const account = readClaim(tx, input.challengeId)
          if (account === undefined) return yield* marked("challenge-refused")
          if (identity !== undefined && identity.walletAddress !== account)
            return yield* marked("owner-mismatch")
          return account as NanoAddress
        })
      )
      const tokens = yield* toFailure(client.sessions.claimWallet({ payload: { ...input, account } }))
      const session: Redacted.Redacted = yield* select(run, tokens, {
        method: "external-nano",
        walletAddress: account
      })
      yield* ensureKey(run, session)
      yield* run.save((tx) =>
        Effect.sync(() => {
          removeClaims(tx)
          completeSetup(tx)
        })
      )
      return session
    })
  }
})
