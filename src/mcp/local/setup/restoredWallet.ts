import { Effect, Option, Redacted } from "effect"
import type { ToolFailure } from "../../../../schemas/mcp/ToolFailure.ts"
import type { NanoAddress } from "../../../../schemas/platform/Nano.ts"
import { toFailure } from "../failures/apiFailures.ts"
import { marked } from "../failures/marked.ts"
import type { Alone } from "../intents/alone.ts"
import { NanoProvider } from "../ports/NanoProvider.ts"
import { StateStore, type Transaction } from "../ports/StateStore.ts"
import { actingWith, ServiceApi } from "../service/ServiceApi.ts"
import { readCredential, saveCredential } from "../state/credentials.sql.ts"
import { type Identity, readIdentity } from "../state/identity.sql.ts"
import { beginSetup, completeSetup } from "../state/setup.sql.ts"
import { walletOf } from "../wallet/wallet.ts"
import { makeIdentities } from "./identities.ts"
import { makeKeys } from "./keys.ts"
import { makeWalletProof } from "./localWallet.ts"
import { requireNoSetup } from "./requireNoSetup.ts"

/** A wallet whose identity has no name yet, so that its seed may be mistyped. */
export interface UnknownWallet {
  readonly account: NanoAddress
  /** False if no Nano node said that its ledger does not have the wallet. */
  readonly isAbsent: boolean
}

/** Fails unless a person wants this wallet. */
export type ConfirmWallet<E, R> = (wallet: UnknownWallet) => Effect.Effect<void, E, R>

/** Makes the setup of a wallet whose seed a person kept: it signs in to the account that the wallet has. */
export const makeRestoredWallet = Effect.gen(function* () {
  const { client } = yield* ServiceApi
  const store = yield* StateStore
  const provider = yield* NanoProvider
  const prove = yield* makeWalletProof
  const select = yield* makeIdentities
  const ensureKey = yield* makeKeys

  /** Returns true if this directory has the seed from an earlier run. Fails if it has another wallet or identity. */
  const hasSeed = Effect.fnUntraced(function* (tx: Transaction, seed: Redacted.Redacted) {
    const known = readCredential(tx, "wallet-seed")?.value
    if (known === undefined) {
      yield* requireNoSetup(tx)
      return false
    }
    return Redacted.value(known) === Redacted.value(seed) || (yield* marked("wallet-exists"))
  })

  /** Returns whether the ledger has a wallet, or money for it; none without an answer. */
  const isOnLedger = (account: NanoAddress) =>
    Effect.option(
      Effect.gen(function* () {
        return (
          (yield* provider.account(account)) !== undefined || (yield* provider.receivable(account)).length > 0
        )
      })
    )

  return Effect.fnUntraced(function* <E, R>(
    run: Alone,
    seed: Redacted.Redacted,
    confirm: ConfirmWallet<E, R>
  ): Effect.fn.Return<Identity | undefined, ToolFailure | E, R> {
    const isKnown = yield* store.read((tx) => hasSeed(tx, seed))
    const wallet = walletOf(seed)
    const tokens = yield* prove(wallet)
    const session = Redacted.make(tokens.accessToken)
    const { owner, publication } = yield* toFailure(actingWith(session)(client.me.read()))
    // The sign-in has made an account for a wallet that had none.
    if (!isKnown && publication.blockers.some(({ code }) => code === "profile_name_required")) {
      const found = yield* isOnLedger(wallet.account)
      if (!Option.contains(found, true))
        yield* confirm({ account: wallet.account, isAbsent: Option.isSome(found) }).pipe(
          Effect.tapError(() => Effect.ignore(actingWith(session)(client.sessions.logout())))
        )
    }
    yield* run.save((tx) =>
      Effect.gen(function* () {
        if (!(yield* hasSeed(tx, seed)))
          saveCredential(tx, "wallet-seed", { value: seed, keyId: null, expiresAt: null })
      })
    )
    yield* select(run, tokens, { method: "local-nano", walletAddress: wallet.account })
    yield* ensureKey(run, session)
    return yield* run.save((tx) =>
      Effect.sync(() => {
        beginSetup(tx, "local-nano", owner.authorKind, "complete")
        completeSetup(tx)
        return readIdentity(tx)
      })
    )
  })
})
