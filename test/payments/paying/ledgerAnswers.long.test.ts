import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type LedgerFault, NanoLedgerMemory } from "../../../layers/testing/NanoLedgerMemory.ts"
import { blockHash } from "../../../src/platform/nano/blocks.ts"
import { authorOf } from "../../support/actors/author.ts"
import { inTime, outcomeOf } from "../../support/actors/buyer.ts"
import { carryOn } from "../../support/actors/carryOn.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { insist, kinds, paying, seen } from "./ways.ts"

const faults: ReadonlyArray<LedgerFault> = [
  "lost request",
  "lost answer",
  "too many requests",
  "error answer",
  "wrong network",
  "out of sync"
]

/** Returns the hashes of the blocks of one account that the service published. */
const publishedBy = Effect.fnUntraced(function* (account: string) {
  const { published } = yield* NanoLedgerMemory
  return (yield* published).filter((block) => block.account === account).map((block) => blockHash(block))
})

/** The author of this many tests, who has the first numbers. */
let authors = 0
let payers = 100

layer(service(database("test_payments_ledger_answers")))("the ledger", (it) => {
  for (const kind of kinds) {
    it.effect(`A ledger that fails before the block of a ${kind} is sent takes nothing until a repeat`, () =>
      Effect.gen(function* () {
        const ledger = yield* NanoLedgerMemory
        const author = yield* authorOf(++authors)
        const calls = [
          ...faults.map((fault) => ["block", fault] as const),
          ["account", "error answer"] as const
        ]
        for (const [call, fault] of calls) {
          const { ask, count, payer, sign } = yield* paying(kind, author, ++payers)
          const { payment } = yield* sign
          yield* ledger.faultNext(call, fault)
          const refused = yield* ask(payment)
          assert.deepStrictEqual(seen(refused), [503, "ledger_unavailable"], `${call}: ${fault}`)
          assert.strictEqual(outcomeOf(refused).transaction, "")
          assert.deepStrictEqual(yield* publishedBy(payer.account), [])
          assert.strictEqual((yield* insist(ask(payment))).status, 200)
          assert.strictEqual(yield* count, 1)
        }
      })
    )

    it.effect(
      `A ledger that fails when the block of a ${kind} is sent takes it once, and asks no further`,
      () =>
        Effect.gen(function* () {
          const ledger = yield* NanoLedgerMemory
          const author = yield* authorOf(++authors)
          for (const fault of faults) {
            const { ask, count, payer, sign } = yield* paying(kind, author, ++payers)
            const { block, payment } = yield* sign
            yield* ledger.faultNext("publish", fault)
            const answer = yield* insist(ask(payment))
            assert.strictEqual(answer.status, 200, `${fault}: ${answer.text}`)
            assert.strictEqual(outcomeOf(answer).transaction, blockHash(block))
            assert.deepStrictEqual([...new Set(yield* publishedBy(payer.account))], [blockHash(block)])
            assert.strictEqual(yield* count, 1)
          }
        })
    )

    it.effect(`A ledger that is slow, or reports no confirmation, still settles a ${kind}`, () =>
      Effect.gen(function* () {
        const ledger = yield* NanoLedgerMemory
        const author = yield* authorOf(++authors)
        const { ask, count, sign } = yield* paying(kind, author, ++payers)
        const { payment } = yield* sign
        for (const call of ["block", "account", "publish"] as const) yield* ledger.faultNext(call, "slow")
        yield* ledger.tell(0)
        assert.strictEqual((yield* insist(ask(payment))).status, 200)
        yield* ledger.tell(1)
        assert.strictEqual(yield* count, 1)
      })
    )

    it.effect(
      `A ledger that is behind, or already has the block of a ${kind}, settles it without a 402`,
      () =>
        Effect.gen(function* () {
          const ledger = yield* NanoLedgerMemory
          const author = yield* authorOf(++authors)
          for (const word of ["gap", "old block", "fork"] as const) {
            const { ask, count, payer, sign } = yield* paying(kind, author, ++payers)
            const { block, payment } = yield* sign
            yield* ledger.setAnswer(word)
            const first = yield* inTime(ask(payment), 1000)
            assert.deepStrictEqual(
              seen(first),
              word === "old block" ? [200, null] : [503, "settlement_pending"]
            )
            yield* ledger.setAnswer(undefined)
            // The first look publishes the block, and the next one sees it confirmed.
            yield* carryOn
            yield* carryOn
            const answer = yield* insist(ask(payment))
            assert.strictEqual(answer.status, 200, `${word}: ${answer.text}`)
            assert.strictEqual(outcomeOf(answer).success, true)
            assert.deepStrictEqual([...new Set(yield* publishedBy(payer.account))], [blockHash(block)])
            assert.strictEqual(yield* count, 1)
          }
        })
    )

    it.effect(`A payer of a ${kind} waits while the ledger is unavailable, and it recovers alone`, () =>
      Effect.gen(function* () {
        const ledger = yield* NanoLedgerMemory
        const author = yield* authorOf(++authors)
        const { ask, count, sign } = yield* paying(kind, author, ++payers)
        yield* ledger.confirmAfter("never")
        const { block, payment } = yield* sign
        assert.deepStrictEqual(seen(yield* inTime(ask(payment), 1000)), [503, "settlement_pending"])
        yield* ledger.setAway(true)
        const pending = yield* inTime(ask(payment), 1000)
        assert.deepStrictEqual(seen(pending), [503, "settlement_pending"])
        assert.strictEqual(outcomeOf(pending).transaction, blockHash(block))
        yield* carryOn
        assert.strictEqual(yield* count, 0)
        yield* ledger.setAway(false)
        yield* ledger.confirmAfter(0)
        yield* ledger.confirm(blockHash(block))
        yield* carryOn
        assert.strictEqual((yield* ask(payment)).status, 200)
        assert.strictEqual(yield* count, 1)
      })
    )

    it.effect(`A ${kind} with a competitor of its block is pending until one of them is confirmed`, () =>
      Effect.gen(function* () {
        const ledger = yield* NanoLedgerMemory
        const author = yield* authorOf(++authors)
        for (const winner of ["ours", "theirs"] as const) {
          const { ask, count, payer, sign } = yield* paying(kind, author, ++payers)
          const { block, payment } = yield* sign
          yield* ledger.setAnswer("gap")
          assert.deepStrictEqual(seen(yield* inTime(ask(payment), 1000)), [503, "settlement_pending"])
          yield* ledger.setAnswer(undefined)
          yield* ledger.confirmAfter("never")
          const rival = yield* payer.send(payer.account, 1n, block.previous)
          yield* ledger.book.process(rival)
          yield* carryOn
          assert.deepStrictEqual(seen(yield* inTime(ask(payment), 1000)), [503, "settlement_pending"])
          yield* ledger.elect(winner === "ours" ? block : rival)
          yield* ledger.confirmAfter(0)
          yield* carryOn
          const last = yield* ask(payment)
          assert.deepStrictEqual(seen(last), winner === "ours" ? [200, null] : [402, "fork"])
          assert.strictEqual(yield* count, winner === "ours" ? 1 : 0)
          // Each repeat has the same answer, also when the ledger cannot be asked.
          const repeated = yield* ask(payment)
          assert.deepStrictEqual(seen(repeated), seen(last))
          assert.deepStrictEqual(outcomeOf(repeated), outcomeOf(last))
          if (winner === "ours") continue
          const { payment: anew } = yield* sign
          assert.strictEqual((yield* insist(ask(anew))).status, 200)
          assert.strictEqual(yield* count, 1)
        }
      })
    )
  }
})
