import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Schedule } from "effect"
import { TestClock } from "effect/testing"
import * as StateStoreSqlite from "../../../../layers/local/StateStoreSqlite.ts"
import { NanoLedgerMemory } from "../../../../layers/testing/NanoLedgerMemory.ts"
import * as NanoProviderMemory from "../../../../layers/testing/NanoProviderMemory.ts"
import { MAX_RAW, publicKeyOfAddress, RAW_PER_XNO } from "../../../../schemas/platform/Nano.ts"
import { BlockHash } from "../../../../schemas/platform/NanoBlock.ts"
import { NanoProvider } from "../../../../src/mcp/local/ports/NanoProvider.ts"
import { makeWallet } from "../../../../src/mcp/local/wallet/makeWallet.ts"
import { authorOf } from "../../../support/actors/author.ts"
import { inTime } from "../../../support/actors/buyer.ts"
import { walletOf as strangerOf } from "../../../support/actors/owner.ts"
import { BASE_URL } from "../../../support/TestClient.ts"
import { allowed, localBuyer } from "../localBuyer.ts"
import { edition, serviceBehindWire, stateDirectory, toolsOf } from "../localEdition.ts"
import { rowsOf } from "../stateFile.ts"

const HALF = RAW_PER_XNO / 2n

type Node = NanoProvider["Service"]

/** One process of the local edition, whose node answers some questions in another way. */
const processOn = (directory: string, wrong: (node: Node) => Partial<Node> = () => ({})) =>
  Layer.build(
    edition(
      directory,
      BASE_URL,
      StateStoreSqlite.layer({ directory, origin: BASE_URL }),
      Layer.effect(
        NanoProvider,
        Effect.map(NanoProvider, (node) => NanoProvider.of({ ...node, ...wrong(node) }))
      ).pipe(Layer.provide(NanoProviderMemory.layer))
    )
  )

/** Makes a directory with a wallet of one XNO, and an account that it may send to. */
const made = Effect.fnUntraced(function* (number: number) {
  const directory = yield* stateDirectory
  const { wallet } = yield* localBuyer(number, { balanceRaw: RAW_PER_XNO }).pipe(
    Effect.provide(edition(directory))
  )
  const to = strangerOf(number).account
  const { book } = yield* NanoLedgerMemory
  const sent = Effect.map(book.receivable(publicKeyOfAddress(to), 100), (sends) =>
    sends.map(({ amountRaw }) => amountRaw)
  )
  const statuses = () => rowsOf(directory, "select status from wallet_blocks").map(({ status }) => status)
  return { directory, wallet, to, sent, statuses }
})

/** Sends as a person does who confirms what they see. */
const send = (to: ReturnType<typeof strangerOf>["account"], amount: bigint) =>
  Effect.gen(function* () {
    const wallet = yield* makeWallet
    const { plan, sent } = yield* wallet.plan(to, amount)
    if (plan === undefined) return { found: sent?.amountRaw }
    yield* wallet.send(plan)
    return { found: undefined }
  })

layer(serviceBehindWire("test_mcp_local_wrong_answers"))("a wallet with an unreliable node", (it) => {
  it.effect("A send that a node took and denied is found, and not made again", () =>
    Effect.gen(function* () {
      const { directory, sent, statuses, to } = yield* made(501)
      for (const answer of ["fork", "refused", "gap"] as const) {
        const before = (yield* sent).length
        const liar = yield* processOn(directory, (node) => ({
          publish: (block, kind) => Effect.as(node.publish(block, kind), answer),
          block: () => Effect.succeed("absent" as const)
        }))
        const denied = yield* Effect.flip(Effect.provideContext(send(to, 7n), liar))
        assert.strictEqual(denied.code, "wallet-block-refused", answer)
        assert.include(statuses(), "refused")
        const honest = yield* processOn(directory)
        assert.deepStrictEqual(yield* Effect.provideContext(send(to, 7n), honest), { found: 7n }, answer)
        assert.lengthOf(yield* sent, before + 1, answer)
        assert.isFalse(statuses().includes("refused"))
      }
    })
  )

  it.effect("A send that the node cannot place stays open, and is made once", () =>
    Effect.gen(function* () {
      const { directory, sent, to } = yield* made(502)
      const behind = yield* processOn(directory, () => ({ publish: () => Effect.succeed("gap" as const) }))
      const first = yield* Effect.flip(Effect.provideContext(send(to, HALF), behind))
      assert.deepInclude(first, { code: "wallet-block-pending", retryable: true })
      assert.lengthOf(yield* sent, 0)
      // Another amount does not push it aside.
      const second = yield* Effect.flip(Effect.provideContext(send(to, 1n), behind))
      assert.strictEqual(second.code, "wallet-block-pending")
      const honest = yield* processOn(directory)
      assert.deepStrictEqual(yield* Effect.provideContext(send(to, HALF), honest), { found: HALF })
      assert.deepStrictEqual(yield* sent, [HALF])
    })
  )

  it.effect("A send that is not confirmed in time is followed up, and not made again", () =>
    Effect.gen(function* () {
      const { directory, sent, to } = yield* made(503)
      const ledger = yield* NanoLedgerMemory
      yield* ledger.confirmAfter("never")
      const process = yield* processOn(directory)
      const slow = yield* Effect.forkChild(Effect.flip(Effect.provideContext(send(to, HALF), process)))
      for (let seconds = 0; seconds < 40; seconds++) yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(slow)).code, "wallet-block-pending")
      const [{ hash } = {}] = rowsOf(directory, "select hash from wallet_blocks where status = 'sending'")
      yield* ledger.confirmAfter(0)
      yield* ledger.confirm(BlockHash.make(String(hash)))
      assert.deepStrictEqual(yield* Effect.provideContext(send(to, HALF), process), { found: HALF })
      assert.deepStrictEqual(yield* sent, [HALF])
    })
  )

  it.effect("Money that waits only in the words of a node is not received", () =>
    Effect.gen(function* () {
      const { directory, sent, to, wallet } = yield* made(504)
      const { book } = yield* NanoLedgerMemory
      const balance = Effect.map(
        book.chain(publicKeyOfAddress(wallet.account), 1),
        ([head]) => head?.block.balance
      )
      yield* book.faucet(publicKeyOfAddress(wallet.account), HALF)
      const [real = assert.fail("nothing waits")] = yield* book.receivable(
        publicKeyOfAddress(wallet.account),
        1
      )
      for (const waiting of [
        [{ hash: BlockHash.make("AB".repeat(32)), amountRaw: RAW_PER_XNO }],
        [{ hash: real.hash, amountRaw: 100n * RAW_PER_XNO }],
        [{ hash: real.hash, amountRaw: 1n }],
        [{ hash: real.hash, amountRaw: MAX_RAW }]
      ]) {
        const liar = yield* processOn(directory, () => ({ receivable: () => Effect.succeed(waiting) }))
        const receive = Effect.flatMap(makeWallet, ({ receive }) => receive)
        const { code } = yield* Effect.flip(Effect.provideContext(receive, liar))
        assert.include(["wallet-block-refused", "service-unavailable"], code)
        assert.strictEqual(yield* balance, RAW_PER_XNO)
      }
      // The wallet goes on with a node that tells the truth.
      const honest = yield* processOn(directory)
      yield* Effect.provideContext(send(to, RAW_PER_XNO + HALF), honest)
      assert.deepStrictEqual(yield* sent, [RAW_PER_XNO + HALF])
    })
  )

  it.effect("Two processes that buy, receive and send at the same time spend each raw once", () =>
    Effect.gen(function* () {
      const { directory, sent, to, wallet } = yield* made(505)
      const author = yield* authorOf(5)
      const { id } = yield* author.published({
        paidContentMarkdown: "Behind the price.",
        enablePaywall: true,
        priceXno: "0.5"
      })
      const { book } = yield* NanoLedgerMemory
      const key = publicKeyOfAddress(wallet.account)
      yield* book.faucet(key, RAW_PER_XNO)
      const one = yield* processOn(directory)
      const other = yield* processOn(directory)
      const [{ owner_id: ownerId } = {}] = rowsOf(directory, "select owner_id from identity")
      const identity = { ownerId: String(ownerId), profileId: String(ownerId) }
      yield* Effect.provideContext(allowed(identity, { maxTotalRaw: RAW_PER_XNO }), one)
      const { call } = yield* Effect.provideContext(toolsOf, one)
      const buy = Effect.gen(function* () {
        for (;;) {
          const { isError, text } = yield* call("svc_buy_post", {
            intent_id: "0190f3c2-7b1e-7c4a-9d52-3f6a8b0c1d2e",
            post_id: id,
            expected_price_raw: String(HALF)
          })
          if (!isError) return
          assert.match(text, /"retryable":true/)
          yield* Effect.sleep("1 second")
        }
      })
      const retried = <A, E extends { readonly code: string }, R>(act: Effect.Effect<A, E, R>) =>
        Effect.retry(act, {
          while: ({ code }) =>
            ["intent-in-progress", "wallet-block-pending", "wallet-block-refused"].includes(code),
          schedule: Schedule.spaced("1 second")
        })
      const receive = Effect.provideContext(retried(Effect.flatMap(makeWallet, (it) => it.receive)), other)
      const sending = Effect.provideContext(retried(send(to, HALF)), other)
      yield* inTime(Effect.all([buy, receive, sending], { concurrency: 3 }))
      const [head] = yield* book.chain(key, 1)
      assert.strictEqual(head?.block.balance, RAW_PER_XNO)
      assert.deepStrictEqual(yield* sent, [HALF])
      // Its first block, one that receives, one that pays, and one that sends.
      assert.strictEqual(head?.height, 4)
    })
  )
})
