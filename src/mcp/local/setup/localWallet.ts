import { Effect, Option, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { Hex } from "effect/encoding"
import { ProfileName } from "../../../../schemas/accounts/profile/Profile.ts"
import type { NanoAddress } from "../../../../schemas/platform/Nano.ts"
import { toFailure } from "../failures/apiFailures.ts"
import { checked } from "../failures/checkedArguments.ts"
import { marked } from "../failures/marked.ts"
import type { Alone } from "../intents/alone.ts"
import { StateStore, type Transaction } from "../ports/StateStore.ts"
import { shellWord } from "../service/commands.ts"
import { repeatable } from "../service/retries.ts"
import { ServiceApi } from "../service/ServiceApi.ts"
import { Sessions } from "../service/Sessions.ts"
import { readCredential, saveCredential } from "../state/credentials.sql.ts"
import { readIdentity, saveIdentity } from "../state/identity.sql.ts"
import {
  beginSetup,
  completeSetup,
  dispatchDeclaration,
  readSetup,
  readStep,
  saveStep,
  type Setup
} from "../state/setup.sql.ts"
import { type LocalWallet, signMessage, walletOf } from "../wallet/wallet.ts"
import { makeIdentities } from "./identities.ts"
import { makeKeys } from "./keys.ts"
import { makePayout } from "./payout.ts"
import { requireNoSetup } from "./requireNoSetup.ts"

/** The name and the handle of a new identity. They count until the Profile has them. */
export interface Names {
  readonly name: string
  readonly handle: string
}

/** A new identity, whose sales pay its own wallet unless another address is named. */
export interface NewIdentity extends Names {
  readonly intent: NonNullable<Setup["intent"]>
  readonly payoutAddress?: NanoAddress
}

const SavedNames = Schema.fromJsonString(Schema.Struct({ name: Schema.String, handle: Schema.String }))
const decodeNames = Schema.decodeUnknownOption(SavedNames)

/** Returns the names of a setup that has not given them to the Profile yet, so that its command need not repeat them. */
export const savedNames = (tx: Transaction): Names | undefined =>
  Option.getOrUndefined(decodeNames(readStep(tx, "profile")?.data))

/** Proposes another handle than a taken one. */
const otherHandle = (handle: string) => `${handle.slice(0, 28)}_2`

/** Makes the function that proves a wallet to the service. A lost answer costs nothing: the next proof leads to the same owner. */
export const makeWalletProof = Effect.map(
  ServiceApi,
  ({ client }) =>
    (wallet: LocalWallet) =>
      toFailure(
        Effect.gen(function* () {
          const { account } = wallet
          const challenge = yield* client.sessions.challengeWallet({ payload: { account } })
          const signature = signMessage(wallet, challenge.message)
          return yield* client.sessions.claimWallet({
            payload: { challengeId: challenge.challengeId, account, signature }
          })
        })
      )
)

/** Makes the sign-in with the wallet of this directory. */
export const makeWalletSignIn = Effect.gen(function* () {
  const prove = yield* makeWalletProof
  const select = yield* makeIdentities

  return Effect.fnUntraced(function* (run: Alone, wallet: LocalWallet) {
    const tokens = yield* prove(wallet)
    return yield* select(run, tokens, { method: "local-nano", walletAddress: wallet.account })
  })
})

/** Makes the steps of `setup new-agent` and `setup new-human`. Each is safe to repeat, and done steps are skipped. */
export const makeLocalWalletSetup = Effect.gen(function* () {
  const store = yield* StateStore
  const random = yield* SecureRandom.SecureRandom
  const sessions = yield* Sessions
  const { client } = yield* ServiceApi
  const signIn = yield* makeWalletSignIn
  const ensureKey = yield* makeKeys
  const savePayout = yield* makePayout

  /** Begins the setup, or continues one of the same intent. Returns the wallet, whose seed is on the disk. */
  const begun = Effect.fnUntraced(function* (run: Alone, { handle, intent, name }: NewIdentity) {
    const fresh = Redacted.make(Hex.encode(yield* random.randomBytes(32)))
    return yield* run.save((tx) =>
      Effect.gen(function* () {
        const setup = readSetup(tx)
        const isSame = setup?.status === "pending" && setup.intent === intent
        if (!isSame) {
          yield* requireNoSetup(tx)
          beginSetup(tx, "local-nano", intent, intent === "agent" ? "authorized" : "pending")
        }
        if (readStep(tx, "profile")?.isDone !== true) saveStep(tx, "profile", { name, handle })
        const known = readCredential(tx, "wallet-seed")?.value
        if (known === undefined) {
          saveCredential(tx, "wallet-seed", { value: fresh, keyId: null, expiresAt: null })
        }
        return walletOf(known ?? fresh)
      })
    )
  })

  const isDone = (step: "payout" | "profile") =>
    store.read((tx) => Effect.succeed(readStep(tx, step)?.isDone === true))

  const profile = Effect.fnUntraced(function* (run: Alone, { handle, intent, name }: NewIdentity) {
    if (yield* isDone("profile")) return
    const patch = repeatable(client.profile.update({ payload: { name, handle } }))
    const saved = yield* sessions.asPublisher(patch).pipe(
      Effect.catchIf(
        ({ code }) => code === "handle-taken",
        () => {
          const words = `setup new-${intent} --name ${shellWord(name)} --handle ${otherHandle(handle)}`
          return Effect.fail(marked("handle-taken", { nextStep: `Choose another one: \`svc-mcp ${words}\`` }))
        }
      )
    )
    yield* run.save((tx) =>
      Effect.sync(() => {
        const identity = readIdentity(tx)
        if (identity !== undefined) saveIdentity(tx, { ...identity, handle: saved.handle })
        saveStep(tx, "profile", {}, true)
      })
    )
  })

  const payout = Effect.fnUntraced(function* (run: Alone, account: NanoAddress, isChosen: boolean) {
    if (yield* isDone("payout")) return
    yield* savePayout(account, isChosen)
    yield* run.save((tx) => Effect.sync(() => saveStep(tx, "payout", {}, true)))
  })

  /** Reads the Profile back with the key. Returns its kind when it is that of the selected identity. */
  const observedKind = Effect.gen(function* () {
    const identity = yield* store.read((tx) => Effect.succeed(readIdentity(tx)))
    const { authorKind, id } = yield* sessions.asPublisher(client.profile.read())
    return id === identity?.profileId ? authorKind : undefined
  })

  /** Declares the account as an agent, once a person has authorized it by this command, and verifies it. */
  const declare = Effect.fnUntraced(function* (run: Alone) {
    yield* run.save((tx) => Effect.sync(() => dispatchDeclaration(tx)))
    yield* sessions
      .asPublisher(repeatable(client.profile.declareAgent()))
      .pipe(Effect.mapError(() => marked("agent-declaration-failed-resume-setup")))
    const kind = yield* Effect.orElseSucceed(observedKind, () => undefined)
    if (kind !== "agent") return yield* marked("agent-verification-failed-resume-setup")
  })

  const verifyHuman = Effect.gen(function* () {
    if ((yield* observedKind) === undefined) return yield* marked("owner-mismatch")
  })

  return Effect.fnUntraced(function* (run: Alone, wanted: NewIdentity) {
    yield* checked(ProfileName)(wanted.name)
    const wallet = yield* begun(run, wanted)
    const session = yield* signIn(run, wallet)
    yield* ensureKey(run, session)
    yield* profile(run, wanted)
    const { payoutAddress = wallet.account } = wanted
    yield* payout(run, payoutAddress, wanted.payoutAddress !== undefined)
    yield* wanted.intent === "agent" ? declare(run) : verifyHuman
    yield* run.save((tx) => Effect.sync(() => completeSetup(tx)))
  })
})
