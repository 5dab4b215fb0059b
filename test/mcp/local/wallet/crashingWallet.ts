import { assert } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { NanoLedgerMemory } from "../../../../layers/testing/NanoLedgerMemory.ts"
import * as NanoProviderMemory from "../../../../layers/testing/NanoProviderMemory.ts"
import * as StateStoreCrashing from "../../../../layers/testing/StateStoreCrashing.ts"
import { type NanoAddress, publicKeyOfAddress, RAW_PER_XNO } from "../../../../schemas/platform/Nano.ts"
import { NanoProvider } from "../../../../src/mcp/local/ports/NanoProvider.ts"
import { StateStore } from "../../../../src/mcp/local/ports/StateStore.ts"
import { saveCredential } from "../../../../src/mcp/local/state/credentials.sql.ts"
import { makeWallet } from "../../../../src/mcp/local/wallet/makeWallet.ts"
import { walletOf } from "../../../../src/mcp/local/wallet/wallet.ts"
import { walletOf as strangerOf } from "../../../support/actors/owner.ts"
import { BASE_URL } from "../../../support/TestClient.ts"
import { lifeOf } from "../intents/crashing.ts"
import { funded } from "../localBuyer.ts"
import { edition, stateDirectory } from "../localEdition.ts"
import { endLeases, rowsOf } from "../stateFile.ts"

type Life = ReturnType<typeof lifeOf>

const ended = Effect.die(new Error("The process has ended"))

/** A node whose asker may end before it is given a block, or right after, without its answer. */
const providerOf = (life: Life, directory: string) =>
  Layer.effect(
    NanoProvider,
    Effect.map(NanoProvider, (provider) =>
      NanoProvider.of({
        ...provider,
        publish: (block, kind) =>
          Effect.suspend(() => {
            if (life.isOver()) return ended
            // The disk has all that a resume needs before the ledger sees anything.
            const [saved] = rowsOf(directory, "select block from wallet_blocks where status = 'sending'")
            assert.include(String(saved?.["block"]), block.signature)
            const moment = life.act()
            if (moment === "before") return ended
            const answer = provider.publish(block, kind)
            return moment === undefined ? answer : Effect.andThen(answer, ended)
          })
      })
    )
  ).pipe(Layer.provide(NanoProviderMemory.layer))

/** Does an act of the wallet in a process of its own, which may end. Returns the number of its acts. */
export const actedUntil = Effect.fnUntraced(function* <A, E>(
  directory: string,
  act: (wallet: Effect.Success<typeof makeWallet>) => Effect.Effect<A, E>,
  last = Infinity,
  moment: StateStoreCrashing.Moment = "before"
) {
  const life = lifeOf(last, moment)
  const store = StateStoreCrashing.layer({ directory, origin: BASE_URL }, life)
  const exit = yield* Effect.flatMap(makeWallet, act).pipe(
    Effect.provide(edition(directory, BASE_URL, store, providerOf(life, directory))),
    Effect.exit
  )
  return { acts: life.acts(), exit }
})

let numbers = 400

/** Returns a number that no other wallet of these tests has. */
export const nextNumber = () => ++numbers

/** Makes a directory with a wallet that has money, and some more that waits. */
export const made = Effect.gen(function* () {
  const directory = yield* stateDirectory
  const number = nextNumber()
  const seed = Redacted.make(number.toString(16).padStart(64, "0"))
  const wallet = walletOf(seed)
  const { book } = yield* NanoLedgerMemory
  yield* funded(seed, RAW_PER_XNO)
  yield* book.faucet(publicKeyOfAddress(wallet.account), 2n * RAW_PER_XNO)
  yield* StateStore.use((store) =>
    store.write((tx) =>
      Effect.sync(() => saveCredential(tx, "wallet-seed", { value: seed, keyId: null, expiresAt: null }))
    )
  ).pipe(Effect.provide(edition(directory)))
  const to = strangerOf(number).account
  const waits = (account: NanoAddress) =>
    Effect.map(book.receivable(publicKeyOfAddress(account), 100), (sends) =>
      sends.map(({ amountRaw }) => amountRaw)
    )
  const state = Effect.gen(function* () {
    const [head] = yield* book.chain(publicKeyOfAddress(wallet.account), 1)
    return {
      balanceRaw: head?.block.balance,
      blocks: head?.height,
      waiting: yield* waits(wallet.account),
      sent: yield* waits(to)
    }
  })
  return { directory, to, state }
})

/** An act, which is done again by a person who does not know what became of it, and the state after it. */
export const acts = {
  receive: {
    act: () => (wallet: Effect.Success<typeof makeWallet>) => Effect.asVoid(wallet.receive),
    after: { balanceRaw: 3n * RAW_PER_XNO, blocks: 2, waiting: [], sent: [] }
  },
  send: {
    act: (to: NanoAddress) => (wallet: Effect.Success<typeof makeWallet>) =>
      Effect.flatMap(wallet.plan(to, RAW_PER_XNO / 2n), ({ plan }) =>
        plan === undefined ? Effect.void : Effect.asVoid(wallet.send(plan))
      ),
    after: {
      balanceRaw: RAW_PER_XNO / 2n,
      blocks: 2,
      waiting: [2n * RAW_PER_XNO],
      sent: [RAW_PER_XNO / 2n]
    }
  },
  "send of what must be received": {
    act: (to: NanoAddress) => (wallet: Effect.Success<typeof makeWallet>) =>
      Effect.flatMap(wallet.plan(to, 3n * RAW_PER_XNO), ({ plan }) =>
        plan === undefined ? Effect.void : Effect.asVoid(wallet.send(plan))
      ),
    after: { balanceRaw: 0n, blocks: 3, waiting: [], sent: [3n * RAW_PER_XNO] }
  }
} as const

const shown = (state: object) =>
  JSON.stringify(state, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value))

/** Ends an act of the wallet once. A person who cannot know what became of it does it again; the money moves once. */
export const crashed = Effect.fnUntraced(function* (
  name: keyof typeof acts,
  last: number,
  moment: StateStoreCrashing.Moment
) {
  const { act, after } = acts[name]
  const { directory, state, to } = yield* made
  const first = yield* actedUntil(directory, act(to), last, moment)
  assert.strictEqual(first.exit._tag, "Failure")
  endLeases(directory)
  const open = () => rowsOf(directory, "select hash from wallet_blocks where status = 'sending'").length
  const isOver = shown(yield* state) === shown(after)
  // A person who sees that it is done does not repeat it.
  if (!isOver || open() > 0) yield* actedUntil(directory, act(to))
  const where = `${name}, ${moment} act ${last}`
  assert.deepStrictEqual<unknown>(yield* state, after, where)
  assert.strictEqual(open(), 0, where)
})
