import { Effect, Redacted } from "effect"
import { toFailure } from "../failures/apiFailures.ts"
import { marked } from "../failures/marked.ts"
import type { Alone } from "../intents/alone.ts"
import { actingWith, ServiceApi } from "../service/ServiceApi.ts"
import { readCredential, saveCredential } from "../state/credentials.sql.ts"
import { readIdentity } from "../state/identity.sql.ts"
import { beginSetup, completeSetup } from "../state/setup.sql.ts"
import { walletOf } from "../wallet/wallet.ts"
import { makeKeys } from "./keys.ts"
import { makeWalletSignIn } from "./localWallet.ts"
import { requireNoSetup } from "./requireNoSetup.ts"

/** Makes the setup of a wallet whose seed a person kept: it signs in to the account that the wallet has. */
export const makeRestoredWallet = Effect.gen(function* () {
  const { client } = yield* ServiceApi
  const signIn = yield* makeWalletSignIn
  const ensureKey = yield* makeKeys

  /** Saves the seed, unless this directory has another one. The same seed continues an earlier run. */
  const saved = (run: Alone, seed: Redacted.Redacted) =>
    run.save((tx) =>
      Effect.gen(function* () {
        const known = readCredential(tx, "wallet-seed")?.value
        if (known !== undefined) {
          const isSame = Redacted.value(known) === Redacted.value(seed)
          return isSame ? undefined : yield* marked("wallet-exists")
        }
        yield* requireNoSetup(tx)
        saveCredential(tx, "wallet-seed", { value: seed, keyId: null, expiresAt: null })
      })
    )

  return Effect.fnUntraced(function* (run: Alone, seed: Redacted.Redacted) {
    yield* saved(run, seed)
    const session = yield* signIn(run, walletOf(seed))
    yield* ensureKey(run, session)
    const { owner } = yield* toFailure(actingWith(session)(client.me.read()))
    return yield* run.save((tx) =>
      Effect.sync(() => {
        beginSetup(tx, "local-nano", owner.authorKind, "complete")
        completeSetup(tx)
        return readIdentity(tx)
      })
    )
  })
})
