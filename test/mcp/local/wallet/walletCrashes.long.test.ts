import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { NanoLedgerMemory } from "../../../../layers/testing/NanoLedgerMemory.ts"
import { publicKeyOfAddress, RAW_PER_XNO } from "../../../../schemas/platform/Nano.ts"
import { paidPost } from "../../../payments/access/paidPost.ts"
import { authorOf } from "../../../support/actors/author.ts"
import { calledUntil, momentsOf } from "../intents/crashing.ts"
import { allowed, localBuyer } from "../localBuyer.ts"
import { edition, serviceBehindWire, stateDirectory } from "../localEdition.ts"
import { endLeases, rowsOf } from "../stateFile.ts"
import { acts, actedUntil, crashed, made, nextNumber } from "./crashingWallet.ts"

layer(serviceBehindWire("test_mcp_local_wallet_crashes"))("a wallet whose process loses its power", (it) => {
  for (const name of Object.keys(acts) as ReadonlyArray<keyof typeof acts>) {
    it.effect(`A ${name} that ends at any of its acts moves the money once`, () =>
      Effect.gen(function* () {
        const { act, after } = acts[name]
        const { directory, state, to } = yield* made
        const { acts: count } = yield* actedUntil(directory, act(to))
        assert.deepStrictEqual<unknown>(yield* state, after)
        assert.isAtLeast(count, 5)
        for (let last = 0; last < count; last++) {
          for (const moment of momentsOf(last)) yield* crashed(name, last, moment)
        }
      })
    )
  }

  it.effect("A purchase that must receive first, and ends at any of its acts, pays once", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(1)
      const { book } = yield* NanoLedgerMemory
      /** Makes a buyer whose money waits, and a Post that costs the half of it. */
      const offered = Effect.gen(function* () {
        const directory = yield* stateDirectory
        const { id } = yield* author.published(paidPost)
        const buyer = yield* Effect.gen(function* () {
          const identity = yield* localBuyer(nextNumber(), { balanceRaw: 0n })
          yield* allowed(identity, { maxTotalRaw: RAW_PER_XNO })
          return identity
        }).pipe(Effect.provide(edition(directory)))
        const key = publicKeyOfAddress(buyer.wallet.account)
        yield* book.faucet(key, RAW_PER_XNO)
        const args = {
          intent_id: crypto.randomUUID(),
          post_id: id,
          expected_price_raw: String(RAW_PER_XNO / 2n)
        }
        const check = Effect.fnUntraced(function* (answer: any, where: string) {
          assert.isTrue(answer?.result?.purchase.charged, `${where}: ${answer?.text}`)
          const [head] = yield* book.chain(key, 1)
          assert.deepStrictEqual([head?.height, head?.block.balance], [2, RAW_PER_XNO / 2n], where)
          const [{ state } = {}] = rowsOf(directory, "select state from reservations")
          assert.strictEqual(state, "spent", where)
        })
        return { directory, args, check }
      })
      const whole = yield* offered
      const { acts, answer } = yield* calledUntil(whole.directory, "svc_buy_post", whole.args)
      yield* whole.check(answer, "whole")
      assert.isAtLeast(acts, 12)
      for (let last = 0; last < acts; last++) {
        for (const moment of momentsOf(last)) {
          const { args, check, directory } = yield* offered
          yield* calledUntil(directory, "svc_buy_post", args, last, moment)
          endLeases(directory)
          let resumed = yield* calledUntil(directory, "svc_buy_post", args)
          // The service may still be busy with the payment, and says so.
          for (let tries = 0; tries < 10 && /"retryable":true/.test(resumed.answer?.text ?? ""); tries++) {
            resumed = yield* calledUntil(directory, "svc_buy_post", args)
          }
          yield* check(resumed.answer, `${moment} act ${last}`)
        }
      }
    })
  )
})
