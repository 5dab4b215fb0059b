import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Option } from "effect"
import * as fc from "fast-check"
import { frameOf } from "../../../layers/nano/confirmationFrames.ts"
import { accountOf, blockOf, historyOf, publishedOf, receivableOf } from "../../../layers/nano/rpcAnswers.ts"
import type { RpcAnswer } from "../../../layers/nano/rpcCall.ts"
import { NanoSignature } from "../../../schemas/platform/Nano.ts"
import { BlockWork } from "../../../schemas/platform/NanoBlock.ts"
import { soak } from "../../support/soak.ts"
import {
  authorKey,
  blockInfo,
  ledgerAt,
  payerKey,
  scriptedNode,
  sendBlock,
  sent,
  sentHash,
  text
} from "./scriptedNode.ts"

/** Values that a member of an answer may have, wrong ones among them. */
const value = fc.oneof(
  fc.constantFrom<unknown>(
    "",
    "true",
    "false",
    true,
    null,
    0,
    -1,
    "0",
    "send",
    sentHash,
    sentHash.toLowerCase(),
    sent.account
  ),
  fc.constantFrom<unknown>(
    "1".repeat(40),
    "Block not found",
    [],
    {},
    "[]",
    "{}",
    "__proto__",
    "0x1",
    "1e30",
    " 1"
  ),
  fc.json(),
  fc.jsonValue({ depthSize: "large" }),
  fc.string({ unit: "binary" })
)

/** Members of the contents, at the second level. */
const contents = Object.keys(blockInfo(sent).contents)
const members = [...Object.keys(blockInfo(sent)), ...contents.map((name) => `contents.${name}`)]

/** A true answer with some members changed or left out. */
const mutated = fc
  .array(fc.tuple(fc.constantFrom(...members), fc.option(value)), { minLength: 1, maxLength: 4 })
  .map((changes) => {
    const answer: Record<string, unknown> = blockInfo(sent, { confirmed: "false" })
    const inner: Record<string, unknown> = { ...blockInfo(sent).contents }
    answer["contents"] = inner
    for (const [name, changed] of changes) {
      const [first = "", second] = name.split(".")
      const target = second === undefined ? answer : inner
      if (changed === null) delete target[second ?? first]
      else target[second ?? first] = changed
    }
    return answer
  })

const object = fc.dictionary(
  fc.oneof(fc.constantFrom(...members, "blocks", "history", "frontier", "hash"), fc.string()),
  value
)

const isFine = (exit: Exit.Exit<unknown, { readonly _tag: string }>) =>
  Exit.isSuccess(exit) || Option.exists(Exit.findErrorOption(exit), ({ _tag }) => _tag === "RpcFailure")

const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels)

describe("answers of a node", () => {
  it.effect("An answer or block of more than 32 levels is refused", () =>
    Effect.gen(function* () {
      const answers = {
        block_info: `{"a":${nested(32)}}`,
        account_info: `{"a":${"[".repeat(500_000)}`
      }
      const node = yield* scriptedNode(({ action }) =>
        action === "version" ? undefined : text(answers[action as keyof typeof answers])
      )
      const ledger = yield* ledgerAt([node.url])
      assert.strictEqual((yield* Effect.flip(ledger.block(sentHash)))._tag, "LedgerUnavailable")
      assert.strictEqual((yield* Effect.flip(ledger.account(payerKey)))._tag, "LedgerUnavailable")
      // Nodes that do not know json_block send the block as JSON in a text.
      const { contents: block, ...rest } = blockInfo(sent)
      const inText = (more: string) => ({
        ...rest,
        contents: JSON.stringify({ ...block, more: 0 }).replace('"more":0', `"more":${more}`)
      })
      assert.isTrue(Option.isSome(yield* blockOf(inText(nested(31)), sentHash)))
      assert.strictEqual((yield* Effect.flip(blockOf(inText(nested(32)), sentHash))).reason, "protocol")
    }).pipe(Effect.scoped)
  )

  it.effect("Any answer is read or refused", () =>
    Effect.sync(() => {
      const readers: ReadonlyArray<(answer: RpcAnswer) => Effect.Effect<unknown, { readonly _tag: string }>> =
        [
          (answer) => blockOf(answer, sentHash),
          accountOf,
          (answer) => publishedOf(answer, sentHash),
          receivableOf,
          (answer) => historyOf(answer, new Date(0))
        ]
      fc.assert(
        fc.property(fc.oneof(mutated, object), (answer) =>
          readers.every((reader) => isFine(Effect.runSyncExit(reader(answer))))
        ),
        { numRuns: soak(1000, 50_000) }
      )
    })
  )

  it.effect("An answer proves a block by its hash, with its account, recipient and previous", () =>
    Effect.sync(() => {
      fc.assert(
        fc.property(mutated, (answer) => {
          const exit = Effect.runSyncExit(blockOf(answer, sentHash))
          if (Exit.isFailure(exit) || Option.isNone(exit.value)) return
          const block = exit.value.value
          assert.deepInclude(block, {
            hash: sentHash,
            account: payerKey,
            previous: sent.previous,
            link: sent.link
          })
          // Nothing but the word confirms.
          const word = answer["confirmed"]
          assert.strictEqual(block.isConfirmed, word === "true" || word === true)
        }),
        { numRuns: soak(1000, 50_000) }
      )
    })
  )

  it.effect("No answer is a defect or a payment, by HTTP and from end to end", () =>
    Effect.gen(function* () {
      let reply: unknown
      const node = yield* scriptedNode(({ action }) =>
        action === "version" ? undefined : text(typeof reply === "string" ? reply : JSON.stringify(reply))
      )
      // An honest second node never confirms, so that nothing of the first can be a payment.
      const honest = yield* scriptedNode(({ action }) =>
        action === "block_info" ? blockInfo(sent, { confirmed: "false" }) : undefined
      )
      const block = {
        ...sent,
        signature: NanoSignature.make("0".repeat(128)),
        work: BlockWork.make("0".repeat(16))
      }
      const anyReply = fc.oneof(
        fc.string({ unit: "binary" }),
        fc.json(),
        object,
        mutated,
        fc.constantFrom<unknown>(blockInfo(sent), blockInfo(sendBlock(2)), { error: "Fork" }, { error: {} })
      )
      for (const answer of fc.sample(anyReply, soak(60, 2000))) {
        reply = answer
        // Each has circuits of its own, which earlier answers did not open.
        const ledger = yield* ledgerAt([node.url, honest.url], { quorum: 2 })
        const exits: ReadonlyArray<Exit.Exit<unknown, { readonly _tag: string }>> = [
          yield* Effect.exit(ledger.account(payerKey)),
          yield* Effect.exit(ledger.publish(block)),
          yield* Effect.exit(ledger.incoming(authorKey, new Date(0)))
        ]
        assert.isTrue(
          exits.every(
            (exit) =>
              Exit.isSuccess(exit) ||
              Option.exists(Exit.findErrorOption(exit), ({ _tag }) =>
                /^Ledger(Unavailable|Refused)$/u.test(_tag)
              )
          ),
          JSON.stringify(answer)
        )
        const found = yield* ledger.block(sentHash)
        assert.isFalse(Option.exists(found, ({ isConfirmed }) => isConfirmed))
      }
    }).pipe(Effect.scoped)
  )
})

describe("frames of a websocket", () => {
  const frame = {
    topic: "confirmation",
    message: { account: sent.account, hash: sentHash, block: blockInfo(sent).contents }
  }

  it.effect("Any frame is read or ignored", () =>
    Effect.sync(() => {
      const change = fc
        .tuple(fc.constantFrom("topic", "account", "hash", "block", "ack"), value)
        .map(([name, changed]) =>
          JSON.stringify(
            name === "topic" || name === "ack"
              ? { ...frame, [name]: changed }
              : { ...frame, message: { ...frame.message, [name]: changed } }
          )
        )
      fc.assert(
        fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.json(), change), (sentText) => {
          const found = frameOf(sentText)
          if (Option.isSome(found) && found.value.kind === "confirmation") {
            assert.match(found.value.hash, /^[0-9A-F]{64}$/u)
            assert.isNotEmpty(found.value.keys)
          }
        }),
        { numRuns: soak(1000, 100_000) }
      )
      const deep = JSON.stringify({ ...frame, more: 0 }).replace('"more":0', `"more":${nested(32)}`)
      assert.isTrue(Option.isNone(frameOf(deep)))
      assert.isTrue(Option.isSome(frameOf(deep.replace(nested(32), nested(31)))))
      assert.isTrue(Option.isNone(frameOf("[".repeat(1_000_000))))
    })
  )
})
