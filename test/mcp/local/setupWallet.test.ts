import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { NanoLedgerMemory } from "../../../layers/testing/NanoLedgerMemory.ts"
import { publicKeyOfAddress } from "../../../schemas/platform/Nano.ts"
import { marked } from "../../../src/mcp/local/failures/marked.ts"
import { GrantActs } from "../../../src/mcp/local/GrantActs.ts"
import { StateStore } from "../../../src/mcp/local/ports/StateStore.ts"
import { ServiceApi } from "../../../src/mcp/local/service/ServiceApi.ts"
import { Sessions } from "../../../src/mcp/local/service/Sessions.ts"
import type { UnknownWallet } from "../../../src/mcp/local/setup/restoredWallet.ts"
import { Setups } from "../../../src/mcp/local/setup/Setups.ts"
import { readIdentity } from "../../../src/mcp/local/state/identity.sql.ts"
import { readSetup, recordOf } from "../../../src/mcp/local/state/setup.sql.ts"
import { walletOf as localWalletOf } from "../../../src/mcp/local/wallet/wallet.ts"
import { signMessage, walletOf } from "../../support/actors/owner.ts"
import { edition, serviceBehindWire, stateDirectory, toolsOf } from "./localEdition.ts"
import { secretOf } from "./stateFile.ts"
import { noTrouble, troubled } from "./Wire.ts"

const DAY = 86_400_000
const PURSE = walletOf(960).account
const OTHER_PURSE = walletOf(961).account

const within = <A, E, R>(directory: string, test: Effect.Effect<A, E, R>) =>
  Effect.provide(Effect.scoped(test), edition(directory))

const newAgent = (handle: string, more: object = {}) =>
  Setups.use((setups) => setups.newIdentity({ intent: "agent", name: "An agent", handle, ...more }))

const failed = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.flip(effect)

/** Returns the address that sales of the identity pay. */
const payout = Effect.gen(function* () {
  const { client } = yield* ServiceApi
  return (yield* (yield* Sessions).asOwner(client.payoutAddress.read())).payoutAddress
})

/** The person is not asked about a wallet that the service or the ledger knows. */
const unasked = ({ account }: UnknownWallet) => Effect.die(new Error(`asked about ${account}`))

const identity = StateStore.use((store) =>
  store.read((tx) => Effect.succeed({ ...readIdentity(tx), setup: recordOf(readSetup(tx)) }))
)

layer(serviceBehindWire("test_mcp_local_setup_wallet"))("the wallet of a setup", (it) => {
  it.effect("Sales pay the wallet of the setup, or the address that a person named", () =>
    Effect.gen(function* () {
      yield* noTrouble
      yield* within(
        yield* stateDirectory,
        Effect.gen(function* () {
          yield* newAgent("agent_own_purse")
          assert.strictEqual(yield* payout, (yield* identity).walletAddress)
        })
      )
      yield* within(
        yield* stateDirectory,
        Effect.gen(function* () {
          // The answer of the address that was saved is lost.
          yield* troubled(({ method }) => method === "PUT", "lost", 3)
          assert.strictEqual(
            (yield* failed(newAgent("agent_purse", { payoutAddress: PURSE }))).code,
            "service-unavailable"
          )
          yield* noTrouble
          yield* newAgent("agent_purse", { payoutAddress: PURSE })
          assert.strictEqual(yield* payout, PURSE)
          yield* (yield* Setups).payTo(OTHER_PURSE)
          assert.strictEqual(yield* payout, OTHER_PURSE)
        })
      )
      yield* within(
        yield* stateDirectory,
        Effect.gen(function* () {
          const setups = yield* Setups
          const wallet = walletOf(962)
          const { challengeId, message } = yield* setups.externalWallet(wallet.account)
          yield* setups.claim({ challengeId, signature: signMessage(wallet, message) as never })
          yield* setups.payTo(PURSE)
          assert.strictEqual(yield* payout, PURSE)
        })
      )
    })
  )

  it.effect("A setup that stopped remembers its names, and proposes another handle for a taken one", () =>
    Effect.gen(function* () {
      yield* noTrouble
      yield* within(yield* stateDirectory, newAgent("agent_first"))
      yield* within(
        yield* stateDirectory,
        Effect.gen(function* () {
          const setups = yield* Setups
          assert.isUndefined(yield* setups.savedNames)
          const taken = yield* failed(newAgent("agent_first"))
          assert.strictEqual(taken.code, "handle-taken")
          assert.include(taken.nextStep, "`svc-mcp setup new-agent --name 'An agent' --handle agent_first_2`")
          assert.deepStrictEqual(yield* setups.savedNames, { name: "An agent", handle: "agent_first" })
          const human = yield* failed(
            setups.newIdentity({ intent: "human", name: "A human", handle: "human_late" })
          )
          assert.strictEqual(human.code, "identity-already-selected")
          yield* newAgent("agent_first_2")
          assert.isUndefined(yield* setups.savedNames)
        })
      )
    })
  )

  it.effect("A wallet is brought back by its seed, with its identity and what an agent may do", () =>
    Effect.gen(function* () {
      yield* noTrouble
      const first = yield* stateDirectory
      const { ownerId = "", walletAddress = "" } = yield* within(
        first,
        Effect.andThen(newAgent("agent_restored"), identity)
      )
      const seed = Redacted.make(secretOf(first, "wallet-seed"))
      const other = Redacted.make("f".repeat(64))
      const second = yield* stateDirectory
      yield* within(
        second,
        Effect.gen(function* () {
          const setups = yield* Setups
          yield* troubled(({ path }) => path.endsWith("/nano/claim"), "lost", 3)
          assert.strictEqual((yield* failed(setups.restore(seed, unasked))).code, "service-unavailable")
          yield* noTrouble
          const back = yield* setups.restore(seed, unasked)
          assert.deepInclude(back, { ownerId, walletAddress, handle: "agent_restored", method: "local-nano" })
          assert.deepInclude((yield* identity).setup, { intent: "agent", status: "complete" })
          yield* (yield* GrantActs).standing(DAY)
          const { call } = yield* toolsOf
          const context = (yield* call("svc_context")).result
          assert.deepInclude(context.identity, { status: "verified", authorKind: "agent" })
          assert.strictEqual(context.wallet.address, walletAddress)
          assert.strictEqual((yield* failed(setups.restore(other, unasked))).code, "wallet-exists")
          // The same seed again is no harm.
          assert.deepInclude(yield* setups.restore(seed, unasked), { ownerId })
        })
      )
      assert.strictEqual(secretOf(second, "wallet-seed"), Redacted.value(seed))
      // An identity from elsewhere is not replaced by a wallet.
      yield* within(
        yield* stateDirectory,
        Effect.gen(function* () {
          const setups = yield* Setups
          const wallet = walletOf(963)
          const { challengeId, message } = yield* setups.externalWallet(wallet.account)
          yield* setups.claim({ challengeId, signature: signMessage(wallet, message) as never })
          assert.strictEqual((yield* failed(setups.restore(seed, unasked))).code, "identity-already-selected")
        })
      )
    })
  )

  it.effect(
    "A wallet that neither the service nor the ledger knows is asked about, and a refusal leaves nothing",
    () =>
      Effect.gen(function* () {
        yield* noTrouble
        const first = yield* stateDirectory
        const { walletAddress = "" } = yield* within(
          first,
          Effect.andThen(newAgent("agent_mistyped"), identity)
        )
        const right = secretOf(first, "wallet-seed")
        // One digit of the seed is wrong.
        const wrong = Redacted.make(`${right.slice(0, -1)}${right.endsWith("0") ? "1" : "0"}`)
        const mistyped = localWalletOf(wrong).account
        const asked: Array<UnknownWallet> = []
        const refuse = (wallet: UnknownWallet) => {
          asked.push(wallet)
          return Effect.fail(marked("not-confirmed"))
        }
        const second = yield* stateDirectory
        yield* within(
          second,
          Effect.gen(function* () {
            const setups = yield* Setups
            // The service has an account of it since the first try, but that account has no name.
            for (let times = 0; times < 2; times++)
              assert.strictEqual((yield* failed(setups.restore(wrong, refuse))).code, "not-confirmed")
            assert.deepStrictEqual(asked, [
              { account: mistyped, isAbsent: true },
              { account: mistyped, isAbsent: true }
            ])
            assert.deepStrictEqual(yield* identity, { setup: recordOf(undefined) })
            assert.deepInclude(yield* setups.restore(Redacted.make(right), refuse), { walletAddress })
            assert.lengthOf(asked, 2)
          })
        )
        assert.strictEqual(secretOf(second, "wallet-seed"), right)

        // A person may want it all the same, and money for it is reason enough.
        yield* within(
          yield* stateDirectory,
          Effect.flatMap(Setups, (setups) => setups.restore(wrong, () => Effect.void))
        )
        const { book } = yield* NanoLedgerMemory
        yield* book.faucet(publicKeyOfAddress(mistyped), 1n)
        const known = yield* within(
          yield* stateDirectory,
          Effect.flatMap(Setups, (setups) => setups.restore(wrong, refuse))
        )
        assert.strictEqual(known?.walletAddress, mistyped)
      })
  )
})
