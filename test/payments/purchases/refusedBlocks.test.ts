import { assert, it } from "@effect/vitest"
import { Context, Effect, Result } from "effect"
import { SqlClient } from "effect/sql"
import { NanoLedgerMemory } from "../../../layers/testing/NanoLedgerMemory.ts"
import { Settlements } from "../../../src/payments/settlement/Settlements.ts"
import { blockHash } from "../../../src/platform/nano/blocks.ts"
import { refusalOf } from "../../support/actors/author.ts"
import { access, buyerOf } from "../../support/actors/buyer.ts"
import { payerOf } from "../../support/actors/payer.ts"
import { readerOf } from "../../support/actors/reader.ts"
import { TestClient } from "../../support/TestClient.ts"
import { twoAssemblies } from "../../support/twoServices.ts"
import { claimWith, PRICE_RAW, run, sellerOf } from "../settlement/paying.ts"

const ROUNDS = 5

it.effect("Blocks that the ledger refused and their payers sent later are claimed once", () =>
  Effect.gen(function* () {
    const processes = yield* twoAssemblies("test_payments_refused_blocks")
    const inTurn = <A, E, R>(number: number, effect: Effect.Effect<A, E, R>) =>
      Effect.provide(effect, processes[number % 2]!)

    /** Sends a claim to both processes by turns, so often, all at once. */
    const claims = (token: string, postId: string, hash: string, times: number) =>
      Effect.forEach(
        Array.from({ length: times }, (_, number) => number),
        (number) =>
          Context.get(processes[number % 2]!, TestClient).send("POST", "/api/v1/purchases/claims", {
            token,
            body: { postId, blockHash: hash }
          }),
        { concurrency: "unbounded" }
      )

    yield* Effect.gen(function* () {
      const ledger = yield* NanoLedgerMemory
      const sql = yield* SqlClient.SqlClient
      const { another, payTo, postId, target } = yield* sellerOf(1)

      // Claimed once, as soon as they are confirmed.
      for (const [number, answer] of (["work", "balance"] as const).entries()) {
        const { accessToken: token } = yield* readerOf(10 + number)
        const buyer = yield* buyerOf(10 + number)
        yield* ledger.setAnswer(answer)
        const { answer: refused, payment } = yield* buyer.buy(postId)
        yield* ledger.setAnswer(undefined)
        const code = answer === "work" ? "invalid_work" : "amount_mismatch"
        assert.deepStrictEqual(refusalOf(refused), [402, code])
        const block = (yield* ledger.published).at(-1)!
        const hash = blockHash(block)
        const [tooEarly] = yield* claims(token, postId, hash, 1)
        assert.deepStrictEqual(refusalOf(tooEarly!), [409, "block_unconfirmed"])

        yield* ledger.confirmAfter("never")
        yield* ledger.book.process(block)
        assert.deepStrictEqual(refusalOf((yield* claims(token, postId, hash, 1))[0]!), [
          409,
          "block_unconfirmed"
        ])
        yield* ledger.confirm(hash)
        yield* ledger.confirmAfter(0)
        const answers = yield* claims(token, postId, hash, 6)
        assert.deepStrictEqual(
          answers.map(({ status }) => status).toSorted(),
          [201, 409, 409, 409, 409, 409],
          answers[0]!.text
        )
        const { postId: otherPost } = yield* another
        assert.deepStrictEqual(refusalOf((yield* claims(token, otherPost, hash, 1))[0]!), [
          409,
          "block_already_used"
        ])
        const settled = yield* sql`
          select state, channel from settlements where block_hash = decode(${hash}, 'hex')`
        assert.deepStrictEqual(settled, [{ state: "settled", channel: "claim" }])
        // The account reads; its header sends nothing.
        const { body, status } = yield* access(postId, { token, payment })
        assert.deepStrictEqual([status, body.access.via, body.access.charged], [200, "purchase", false])
        assert.strictEqual((yield* ledger.published).filter((it) => blockHash(it) === hash).length, 1)
      }

      // Against a repeat that begins the payment again: one of them has the block.
      const settlements = processes.map((context) => Context.get(context, Settlements))
      const payer = yield* payerOf(20)
      yield* payer.fund()
      for (let round = 0; round < ROUNDS; round++) {
        const claim = claimWith(yield* payer.send(payTo, PRICE_RAW), { target: yield* another, payTo })
        yield* ledger.setAnswer("balance")
        yield* run(settlements[0]!.carryThrough((yield* settlements[0]!.claim(claim)).id))
        yield* ledger.setAnswer(undefined)
        const { hash } = yield* ledger.book.process(claim.block.block)
        const confirming = Effect.flatMap(ledger.book.entry(hash), (entry) => Effect.fromOption(entry)).pipe(
          Effect.flatMap((entry) =>
            settlements[1]!.settleConfirmed({
              channel: "claim",
              sessionId: null,
              target: claim.target,
              block: {
                ...entry,
                previous: entry.block.previous,
                link: entry.block.link,
                isConfirmed: true,
                ledgerTime: entry.createdAt
              },
              amountRaw: PRICE_RAW,
              baseRaw: PRICE_RAW,
              payTo,
              payoutRevision: 1,
              buyerId: null,
              late: false,
              version: null,
              receiptHash: null
            })
          )
        )
        const [again, settled] = yield* Effect.all(
          [Effect.result(settlements[0]!.claim(claim)), Effect.result(confirming)],
          { concurrency: 2 }
        )
        assert.notStrictEqual(Result.isSuccess(again), Result.isSuccess(settled))
        if (Result.isSuccess(again)) yield* run(settlements[0]!.carryThrough(again.success.id))
        const rows = yield* sql`
          select s.state, count(b.id)::int as purchases from settlements s left join purchases b on b.settlement_id = s.id
          where s.block_hash = decode(${hash}, 'hex') group by s.id`
        assert.deepStrictEqual(rows, [{ state: "settled", purchases: 1 }])
      }
      assert.strictEqual(target.postId, postId)
    }).pipe((effect) => inTurn(0, effect))
  })
)
