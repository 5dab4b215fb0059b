import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { RAW_PER_XNO } from "../../../schemas/platform/Nano.ts"
import {
  accountInfo,
  answering,
  blockInfo,
  type NodeReply,
  payerKey,
  sent,
  sentHash,
  signed,
  text,
  useless
} from "./scriptedNode.ts"

const unavailable = (reply: NodeReply) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { ledger } = yield* answering(reply)
      return yield* Effect.map(Effect.flip(ledger.block(sentHash)), ({ reason }) => reason)
    })
  )

describe("a Nano node", () => {
  it.effect("A node reports a block", () =>
    Effect.gen(function* () {
      const { ledger, node } = yield* answering(blockInfo(sent))
      assert.deepStrictEqual(
        yield* ledger.block(sentHash),
        Option.some({
          hash: sentHash,
          account: payerKey,
          previous: sent.previous,
          subtype: "send",
          link: sent.link,
          amountRaw: RAW_PER_XNO,
          isConfirmed: true,
          ledgerTime: new Date(1_795_000_000_000)
        })
      )
      assert.deepStrictEqual(
        node.asked().map(({ body }) => body),
        [{ action: "block_info", json_block: "true", hash: sentHash }]
      )
    })
  )

  it.effect("A node may not know the time of a block, and may spell it otherwise", () =>
    Effect.gen(function* () {
      const info = blockInfo(sent, { local_timestamp: "0", confirmed: false })
      const { ledger } = yield* answering({ ...info, contents: JSON.stringify(info.contents).toLowerCase() })
      const block = Option.getOrThrow(yield* ledger.block(sentHash))
      assert.isNull(block.ledgerTime)
      assert.isFalse(block.isConfirmed)
    })
  )

  it.effect("A node without the block, or with one of an old kind, reports none", () =>
    Effect.gen(function* () {
      for (const reply of [{ error: "Block not found" }, blockInfo(sent, { contents: { type: "send" } })]) {
        const { ledger } = yield* answering(reply)
        assert.deepStrictEqual(yield* ledger.block(sentHash), Option.none())
      }
    })
  )

  it.effect("Any other answer says nothing about the ledger", () =>
    Effect.forEach(
      useless,
      Effect.fnUntraced(function* ([name, reply, reason]) {
        assert.strictEqual(yield* unavailable(reply), reason, name)
      })
    )
  )

  it.effect("A node reports an account", () =>
    Effect.gen(function* () {
      const { ledger, node } = yield* answering(accountInfo)
      const account = { frontier: sentHash, balanceRaw: RAW_PER_XNO, confirmedFrontier: sent.previous }
      assert.deepStrictEqual(yield* ledger.account(payerKey), Option.some(account))
      assert.strictEqual(node.asked()[0]?.body["include_confirmed"], "true")
      const { confirmed_frontier, ...older } = accountInfo
      const other = yield* answering({ ...older, confirmation_height_frontier: confirmed_frontier })
      assert.deepStrictEqual(yield* other.ledger.account(payerKey), Option.some(account))
      const fresh = yield* answering({ ...older, confirmed_frontier: "0".repeat(64) })
      assert.isNull(Option.getOrThrow(yield* fresh.ledger.account(payerKey)).confirmedFrontier)
      const none = yield* answering({ error: "Account not found" })
      assert.deepStrictEqual(yield* none.ledger.account(payerKey), Option.none())
      for (const reply of [older, { error: "Block not found" }, { ...accountInfo, balance: "" }]) {
        const broken = yield* answering(reply)
        yield* Effect.flip(broken.ledger.account(payerKey))
      }
    })
  )

  it.effect("A node takes a block, or judges it", () =>
    Effect.gen(function* () {
      const taken = yield* answering({ hash: sentHash })
      assert.strictEqual(yield* taken.ledger.publish(signed), "accepted")
      const { link_as_account: _, ...contents } = blockInfo(sent).contents
      assert.deepStrictEqual(taken.node.asked()[0]?.body, {
        action: "process",
        json_block: "true",
        subtype: "send",
        block: contents
      })
      const outcome = Effect.fnUntraced(function* (reply: NodeReply) {
        const { ledger } = yield* answering(reply)
        return yield* Effect.match(ledger.publish(signed), {
          onSuccess: String,
          onFailure: ({ _tag, reason }) => `${_tag} ${reason}`
        })
      })
      assert.strictEqual(yield* outcome({ error: "Old block" }), "known")
      const judged = {
        Fork: "fork",
        "Bad signature": "signature",
        "Block work is less than threshold": "work",
        "Balance and amount delta do not match": "balance",
        "Gap previous block": "gap",
        Unreceivable: "other"
      }
      for (const [error, reason] of Object.entries(judged)) {
        assert.strictEqual(yield* outcome({ error }), `LedgerRefused ${reason}`)
      }
      // A node that took another block, or has words of its own, judges nothing.
      for (const reply of [{ hash: sent.previous }, {}, "", text("Fork"), text('{"error":"Fork"}', 502)]) {
        assert.match(yield* outcome(reply), /^LedgerUnavailable /)
      }
      assert.strictEqual(yield* outcome({ error: "Error processing block" }), "LedgerUnavailable refused")
    })
  )
})
