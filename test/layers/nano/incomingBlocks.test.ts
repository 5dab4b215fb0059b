import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { blockHash } from "../../../src/platform/nano/blocks.ts"
import {
  answering,
  author,
  authorKey,
  blockInfo,
  scriptedLedger,
  sendBlock,
  sent,
  sentHash,
  text
} from "./scriptedNode.ts"

describe("incoming blocks", () => {
  const since = new Date(1_794_000_000_000)
  const receivable = sendBlock(3)
  const pocketed = sendBlock(4)
  const old = sendBlock(5)
  const elsewhere = { ...sendBlock(6), link: sentHash }
  const infos = new Map<unknown, object>([
    [blockHash(receivable), blockInfo(receivable, { local_timestamp: "1794000001", confirmed: "false" })],
    [blockHash(pocketed), blockInfo(pocketed, { local_timestamp: "1794000002" })],
    [blockHash(old), blockInfo(old, { local_timestamp: "1793999999" })],
    [blockHash(elsewhere), blockInfo(elsewhere)]
  ])
  const received = (hash: string, seconds: string) => ({
    type: "state",
    subtype: "receive",
    link: hash,
    local_timestamp: seconds,
    hash: sentHash,
    height: "1"
  })

  it.effect("Incoming blocks are those that wait and those that were received, each read again", () =>
    Effect.gen(function* () {
      const { ledger, node } = yield* scriptedLedger(({ action, body }) => {
        if (action === "receivable") {
          const entry = { amount: "1", source: author.account }
          return {
            blocks: { [blockHash(receivable)]: entry, [blockHash(old)]: entry, [blockHash(elsewhere)]: entry }
          }
        }
        if (action === "account_history") {
          if (body["head"] === undefined) {
            return {
              history: [{ type: "state", subtype: "send", link: sentHash, local_timestamp: "0" }],
              previous: sentHash
            }
          }
          return {
            history: [received(blockHash(pocketed), "1794000003"), received(sentHash, "1793000000")],
            previous: sent.previous
          }
        }
        return action === "block_info" ? infos.get(body["hash"]) : undefined
      })
      const found = yield* ledger.incoming(authorKey, since)
      assert.deepStrictEqual(
        found.map(({ hash, isConfirmed }) => [hash, isConfirmed]),
        [
          [blockHash(pocketed), true],
          [blockHash(receivable), false]
        ]
      )
      assert.lengthOf(
        node.asked().filter(({ action }) => action === "account_history"),
        2
      )
      // Confirmed blocks never change, so the next look reads the others alone.
      const before = node.asked().length
      yield* ledger.incoming(authorKey, since)
      assert.deepStrictEqual(
        node
          .asked()
          .slice(before)
          .flatMap(({ body }) => body["hash"] ?? []),
        [blockHash(receivable)]
      )
    })
  )

  it.effect("An account without blocks has no incoming ones", () =>
    Effect.gen(function* () {
      const empty = yield* scriptedLedger(({ action }) => {
        if (action === "receivable") return { blocks: "" }
        return action === "account_history" ? { account: author.account, history: "" } : undefined
      })
      assert.deepStrictEqual(yield* empty.ledger.incoming(authorKey, since), [])
      const none = yield* answering({ error: "Account not found" })
      assert.deepStrictEqual(yield* none.ledger.incoming(authorKey, since), [])
    })
  )

  it.effect("Incoming blocks are unknown when one of them cannot be read", () =>
    Effect.gen(function* () {
      const { ledger } = yield* scriptedLedger(({ action }) => {
        if (action === "receivable") return { blocks: { [sentHash]: {} } }
        if (action === "account_history") return { history: "" }
        return action === "block_info" ? text("no", 500) : undefined
      })
      assert.strictEqual((yield* Effect.flip(ledger.incoming(authorKey, since))).reason, "refused")
    })
  )
})
