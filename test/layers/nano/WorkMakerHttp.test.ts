import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"
import { parseRpcUrls } from "../../../layers/nano/rpcUrl.ts"
import * as WorkMakerHttp from "../../../layers/nano/WorkMakerHttp.ts"
import { BlockWork } from "../../../schemas/platform/NanoBlock.ts"
import { workDifficulty } from "../../../src/platform/nano/blocks.ts"
import { WorkMaker } from "../../../src/platform/ports/WorkMaker.ts"
import { eventually } from "../../support/eventually.ts"
import { hang, type NodeReply, nowhere, scriptedNode, sentHash, text } from "./scriptedNode.ts"

const work = BlockWork.make("00000000000000aa")
/** The difficulty that this work has over the root. */
const difficulty = workDifficulty(sentHash, work)

const makerAt = (...urls: ReadonlyArray<string>) =>
  Effect.map(
    Layer.build(WorkMakerHttp.layer(Result.getOrThrow(parseRpcUrls(Redacted.make(urls.join(",")), "http")))),
    (context) => Context.get(context, WorkMaker)
  )

const made = Effect.fnUntraced(function* (reply: NodeReply, threshold = difficulty) {
  const server = yield* scriptedNode(() => reply)
  const maker = yield* makerAt(server.url)
  return yield* Effect.match(maker.make(sentHash, threshold), {
    onSuccess: String,
    onFailure: ({ reason }) => reason
  })
})

describe("a server that makes work", () => {
  it.effect("The server gets the root and the difficulty, and nothing else", () =>
    Effect.gen(function* () {
      const server = yield* scriptedNode(() => ({ work, hash: sentHash, multiplier: "1" }))
      const maker = yield* makerAt(server.url)
      assert.strictEqual(maker.kind, "server")
      assert.strictEqual(yield* maker.make(sentHash, difficulty), work)
      assert.deepStrictEqual(
        server.requests.map(({ body }) => body),
        [
          {
            action: "work_generate",
            hash: sentHash,
            difficulty: difficulty.toString(16).padStart(16, "0")
          }
        ]
      )
    })
  )

  it.effect("Any other answer of the server makes no work", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* made({ work }, difficulty + 1n), "protocol")
      for (const reply of [{}, { work: "" }, { work: "aa" }, { work: 170 }, "", text(work)]) {
        assert.strictEqual(yield* made(reply, 0n), "protocol")
      }
      assert.strictEqual(yield* made({ error: "Cancelled" }), "refused")
      assert.strictEqual(yield* made(text(JSON.stringify({ work }), 429)), "refused")
      assert.strictEqual(yield* made((response) => response.destroy()), "unreachable")
    })
  )

  it.effect("A failing server gives way to the next one", () =>
    Effect.gen(function* () {
      const bad = yield* scriptedNode(() => ({ error: "Cancelled" }))
      const good = yield* scriptedNode(() => ({ work }))
      const maker = yield* makerAt(yield* nowhere, bad.url, good.url)
      assert.strictEqual(yield* maker.make(sentHash, difficulty), work)
      // Each is left alone after five failures.
      yield* Effect.repeat(maker.make(sentHash, difficulty), { times: 8 })
      assert.lengthOf(bad.requests, 5)
      assert.lengthOf(good.requests, 10)
    })
  )

  it.effect("A server has 20 seconds, and makes four works at a time", () =>
    Effect.gen(function* () {
      const server = yield* scriptedNode(() => hang)
      const maker = yield* makerAt(server.url)
      const asked = (count: number) =>
        eventually(
          `${count} are asked for`,
          Effect.sync(() => server.requests.length === count)
        )
      const fibers = yield* Effect.forEach([1, 2, 3, 4, 5, 6], () =>
        Effect.forkChild(Effect.flip(maker.make(sentHash, difficulty)))
      )
      yield* asked(4)
      yield* Fiber.interrupt(fibers[0] ?? assert.fail())
      yield* asked(5)
      yield* TestClock.adjust(19_999)
      assert.isUndefined(fibers[1]?.pollUnsafe())
      yield* TestClock.adjust(1)
      yield* asked(6)
      assert.strictEqual((yield* Fiber.join(fibers[1] ?? assert.fail())).reason, "timeout")
      assert.isUndefined(fibers[5]?.pollUnsafe())
    })
  )
})
