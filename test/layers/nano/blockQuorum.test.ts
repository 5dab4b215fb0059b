import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import {
  accountInfo,
  blockInfo,
  hang,
  ledgerAt,
  type NodeReply,
  payerKey,
  scriptedNode,
  sent,
  sentHash,
  text
} from "./scriptedNode.ts"

describe("a quorum of Nano nodes", () => {
  const nodes = (replies: ReadonlyArray<NodeReply>) =>
    Effect.forEach(replies, (reply) =>
      scriptedNode(({ action }) => (action === "block_info" ? reply : undefined))
    )
  const confirmed = blockInfo(sent)
  const unconfirmed = blockInfo(sent, { confirmed: "false" })
  const missing = { error: "Block not found" }
  const broken = text("no", 500)

  /** The state of a block for a ledger of these nodes: confirmed or not, missing, or unknown. */
  const saying = Effect.fnUntraced(function* (replies: ReadonlyArray<NodeReply>, quorum = 2) {
    const ledger = yield* ledgerAt(
      (yield* nodes(replies)).map(({ url }) => url),
      { quorum }
    )
    return yield* Effect.match(ledger.block(sentHash), {
      onFailure: ({ reason }) => `unknown: ${reason}`,
      onSuccess: Option.match({
        onNone: () => "missing",
        onSome: ({ isConfirmed }) => (isConfirmed ? "confirmed" : "unconfirmed")
      })
    })
  })

  it.effect("All nodes of a quorum must confirm, and say the same", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [ReadonlyArray<NodeReply>, string]> = [
        [[confirmed, confirmed], "confirmed"],
        [[confirmed, unconfirmed], "unconfirmed"],
        [[unconfirmed, confirmed], "unconfirmed"],
        [[confirmed, missing], "unconfirmed"],
        [[missing, confirmed], "unconfirmed"],
        [[missing, missing], "missing"],
        [[confirmed, blockInfo(sent, { amount: "1" })], "unconfirmed"],
        [[confirmed, unconfirmed, confirmed], "confirmed"],
        [[broken, confirmed, confirmed], "confirmed"],
        [[missing, confirmed, confirmed], "confirmed"],
        [[blockInfo(sent, { amount: "1" }), confirmed, confirmed], "confirmed"],
        [[broken, missing, missing], "missing"],
        [[unconfirmed, broken], "unconfirmed"]
      ]
      for (const [replies, expected] of cases)
        assert.strictEqual(
          yield* saying(replies),
          expected,
          String(cases.findIndex(([it]) => it === replies))
        )
    })
  )

  it.effect("A block is unknown if the nodes that failed could confirm it, or could have it", () =>
    Effect.gen(function* () {
      for (const replies of [
        [confirmed, broken],
        [broken, confirmed],
        [missing, broken],
        [broken, missing, broken],
        [confirmed, unconfirmed, broken],
        [broken, broken]
      ])
        assert.strictEqual(yield* saying(replies), "unknown: refused", JSON.stringify(replies.map(String)))
    })
  )

  it.effect("A node that does not answer delays a verdict only if the others cannot reach it", () =>
    Effect.gen(function* () {
      // No time passes in this test, so no node runs out of patience.
      assert.strictEqual(yield* saying([hang, confirmed, confirmed]), "confirmed")
      assert.strictEqual(yield* saying([missing, hang, missing]), "missing")
      assert.strictEqual(yield* saying([unconfirmed, unconfirmed, hang]), "unconfirmed")
    })
  )

  it.effect("A ledger is unavailable while fewer nodes than its quorum are available", () =>
    Effect.gen(function* () {
      const [good, bad] = yield* nodes([confirmed, broken])
      const ledger = yield* ledgerAt([good!.url, bad!.url], { quorum: 2 })
      const other = yield* ledgerAt([good!.url, bad!.url])
      for (let call = 0; call < 5; call++) yield* Effect.flip(ledger.block(sentHash))
      assert.isTrue(yield* ledger.isAway)
      assert.isFalse(yield* other.isAway)
    })
  )

  it.effect("All nodes of a quorum must confirm the newest block of an account", () =>
    Effect.gen(function* () {
      const honest = yield* scriptedNode(({ action }) =>
        action === "version" ? undefined : action === "account_info" ? accountInfo : unconfirmed
      )
      const node = yield* scriptedNode(({ action }) =>
        action === "version" ? undefined : action === "account_info" ? accountInfo : confirmed
      )
      const frontier = Effect.fnUntraced(function* (urls: ReadonlyArray<string>) {
        const ledger = yield* ledgerAt(urls, { quorum: 2 })
        return Option.getOrThrow(yield* ledger.account(payerKey)).confirmedFrontier
      })
      const network = yield* scriptedNode(({ action }) =>
        action === "version"
          ? undefined
          : action === "account_info"
            ? { ...accountInfo, confirmed_frontier: sentHash }
            : confirmed
      )
      assert.isNull(yield* frontier([network.url, honest.url]))
      assert.strictEqual(yield* frontier([network.url, node.url]), sentHash)
    })
  )
})
