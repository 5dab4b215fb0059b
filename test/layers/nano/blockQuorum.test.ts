import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import {
  accountInfo,
  blockInfo,
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

  it.effect("All nodes of a quorum must confirm, and say the same", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [ReadonlyArray<NodeReply>, boolean | null]> = [
        [[confirmed, confirmed], true],
        [[confirmed, unconfirmed], false],
        [[unconfirmed, confirmed], false],
        [[confirmed, missing], false],
        [[missing, confirmed], null],
        [[confirmed, broken], false],
        [[broken, confirmed], false],
        [[confirmed, blockInfo(sent, { amount: "1" })], false],
        [[confirmed, unconfirmed, confirmed], true],
        [[broken, confirmed, confirmed], true],
        [[missing, confirmed, confirmed], true],
        [[broken, missing, broken], null]
      ]
      for (const [replies, expected] of cases) {
        const ledger = yield* ledgerAt(
          (yield* nodes(replies)).map(({ url }) => url),
          { quorum: 2 }
        )
        const block = yield* ledger.block(sentHash)
        assert.strictEqual(Option.getOrNull(Option.map(block, ({ isConfirmed }) => isConfirmed)), expected)
      }
      const away = yield* ledgerAt(
        (yield* nodes([broken, broken])).map(({ url }) => url),
        { quorum: 2 }
      )
      assert.strictEqual((yield* Effect.flip(away.block(sentHash))).reason, "refused")
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
