import { Context, Effect, Layer, type Redacted } from "effect"
import type { LoginRequest } from "../../../../schemas/accounts/sessions/Session.ts"
import type { NanoAddress } from "../../../../schemas/platform/Nano.ts"
import { toFailure } from "../failures/apiFailures.ts"
import { marked } from "../failures/marked.ts"
import { type Alone, makeAlone } from "../intents/alone.ts"
import { StateStore } from "../ports/StateStore.ts"
import { actingWith, ServiceApi } from "../service/ServiceApi.ts"
import { readCredential } from "../state/credentials.sql.ts"
import { readIdentity } from "../state/identity.sql.ts"
import { walletOf } from "../wallet/wallet.ts"
import { type ClaimInput, makeExternalWalletSetup } from "./externalWallet.ts"
import { makeKeys } from "./keys.ts"
import { makeLocalWalletSetup, makeWalletSignIn, type NewIdentity, savedNames } from "./localWallet.ts"
import { type CodeInput, makeMailboxSetup } from "./mailbox.ts"
import { makePayout } from "./payout.ts"
import { type ConfirmWallet, makeRestoredWallet } from "./restoredWallet.ts"

type Email = LoginRequest["email"]

const make = Effect.gen(function* () {
  const store = yield* StateStore
  const { client } = yield* ServiceApi
  const alone = yield* makeAlone("setup")
  const setUpLocal = yield* makeLocalWalletSetup
  const signIn = yield* makeWalletSignIn
  const external = yield* makeExternalWalletSetup
  const mailbox = yield* makeMailboxSetup
  const ensureKey = yield* makeKeys
  const savePayout = yield* makePayout
  const restoreWallet = yield* makeRestoredWallet

  const selected = store.read((tx) => {
    const identity = readIdentity(tx)
    return identity === undefined
      ? Effect.fail(marked("identity-not-selected"))
      : Effect.succeed({ identity, seed: readCredential(tx, "wallet-seed")?.value })
  })

  /** Replaces the Publishing key when the service refuses it. */
  const withKey = Effect.fnUntraced(function* (run: Alone, session: Redacted.Redacted) {
    const key = yield* store.read((tx) => Effect.succeed(readCredential(tx, "publishing-key")?.value))
    const isRefused =
      key !== undefined &&
      (yield* toFailure(actingWith(key)(client.me.read())).pipe(
        Effect.as(false),
        Effect.catchIf(
          ({ code }) => code === "credential-invalid",
          () => Effect.succeed(true)
        )
      ))
    yield* ensureKey(run, session, isRefused)
  })

  return {
    /** Creates a wallet and an account, or continues where an earlier run stopped. */
    newIdentity: (wanted: NewIdentity) => alone((run) => setUpLocal(run, wanted)),

    /** Returns the names that an unfinished setup was begun with. */
    savedNames: store.read((tx) => Effect.succeed(savedNames(tx))),

    /**
     * Selects the account of a wallet by its seed, of 64 hexadecimal digits. Asks `confirm` about a wallet that neither the
     * service nor the ledger knows, because a seed with a wrong digit is the seed of another wallet. Returns the identity.
     */
    restore: <E, R>(seed: Redacted.Redacted, confirm: ConfirmWallet<E, R>) =>
      alone((run) => restoreWallet(run, seed, confirm)),

    /** Lets the sales of the selected identity pay this address. */
    payTo: (address: NanoAddress) => savePayout(address, true),

    /** Asks for the message that an external wallet has to sign. */
    externalWallet: (account: NanoAddress) => alone((run) => external.begin(run, account)),

    /** Takes the signature of that message. */
    claim: (input: ClaimInput) =>
      alone((run) => Effect.flatMap(external.claim(run, input), (session) => withKey(run, session))),

    /** Asks for a code by mail: for the account of the address, or for a new one. */
    email: (email: Email, isNew: boolean) => alone((run) => mailbox.begin(run, email, isNew)),

    /** Takes the code. */
    verifyEmail: (input: typeof CodeInput.Type) =>
      alone((run) => Effect.flatMap(mailbox.verify(run, input), (session) => withKey(run, session))),

    /**
     * Gives the selected identity a new session, and a new key in place of a refused one. A local wallet needs no person;
     * the others begin with a message to sign, or with a code by mail.
     */
    reconnect: alone((run) =>
      Effect.gen(function* () {
        const { identity, seed } = yield* selected
        if (identity.method === "local-nano" && seed !== undefined) {
          yield* withKey(run, yield* signIn(run, walletOf(seed)))
          return { next: "done" as const }
        }
        if (identity.method === "external-nano") {
          const challenge = yield* external.challenge(run, identity.walletAddress as NanoAddress)
          return { next: "claim" as const, challenge }
        }
        return { next: "email" as const }
      })
    ),

    /** Asks for the code of a new session of the selected identity. */
    reconnectEmail: (email: Email) => alone((run) => mailbox.logIn(run, email))
  }
})

/** Setups of the identity that a state directory acts for (spec 3.6, 4.8). One run goes on at a time. */
export class Setups extends Context.Service<Setups, Effect.Success<typeof make>>()(
  "pennypress/mcp/local/setup/Setups"
) {
  static readonly layer = Layer.effect(Setups, make)
}
