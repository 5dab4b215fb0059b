import { assert, it } from "@effect/vitest"
import { Clock, Effect, Layer, Option, Redacted, Result } from "effect"
import * as NanoLedgerRpc from "../../../layers/nano/NanoLedgerRpc.ts"
import { parseRpcUrls } from "../../../layers/nano/rpcUrl.ts"
import {
  layer as memoryLayer,
  MEMORY_WORK_THRESHOLD,
  NanoLedgerMemory
} from "../../../layers/testing/NanoLedgerMemory.ts"
import { nodeActions } from "../../../src/payments/development/nodeActions.ts"
import { hang, type NodeRequest, scriptedNode } from "../../layers/nano/scriptedNode.ts"
import { authorOf } from "../../support/actors/author.ts"
import { access, buyerOf, inTime } from "../../support/actors/buyer.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { paidPost } from "./paidPost.ts"

/** Two nodes over the ledger of the test. A test silences one. */
const quorum = Effect.gen(function* () {
  const silent = new Set<number>()
  const { book } = yield* NanoLedgerMemory
  const actions = nodeActions(book)
  const context = yield* Effect.context<never>()
  const nodes = yield* Effect.forEach([0, 1], (number) =>
    scriptedNode(({ action, body }: NodeRequest) => {
      if (silent.has(number)) return hang
      const act = actions[action]
      if (act === undefined) return undefined
      const answer = act(body).pipe(
        Effect.catchTag("NodeError", ({ words }) => Effect.succeed({ error: words })),
        Effect.map((json) => JSON.stringify(json)),
        Effect.orDie
      )
      return (response) => void Effect.runPromiseWith(context)(answer).then((json) => response.end(json))
    })
  )
  const urls = Redacted.make(nodes.map(({ url }) => url).join(","))
  const ledger = NanoLedgerRpc.layer({
    servers: Result.getOrThrow(parseRpcUrls(urls, "http")),
    sockets: Option.none(),
    quorum: 2,
    network: "nano:mainnet",
    workThreshold: MEMORY_WORK_THRESHOLD
  })
  return { silent, ledger }
})

const STEP_MILLIS = 50

for (const number of [0, 1])
  it.effect(
    `A payer gets a 503 while node ${number + 1} of a quorum of two is silent, and pays after it`,
    () =>
      Effect.gen(function* () {
        const memory = yield* Layer.build(Layer.fresh(memoryLayer))
        const { ledger, silent } = yield* Effect.provide(quorum, memory)
        const shop = service(database(`test_payments_silent_node_${number}`), 1, {
          changePorts: (ports) => Layer.mergeAll(ports, Layer.succeedContext(memory), ledger)
        })
        yield* Effect.gen(function* () {
          const author = yield* authorOf(1)
          const { id } = yield* author.published(paidPost)
          const { payment } = yield* (yield* buyerOf(2)).sign(id)
          const tips = `/api/posts/${id}/tips`
          const client = yield* TestClient
          silent.add(number)
          for (let times = 0; times < 6; times++) {
            const began = yield* Clock.currentTimeMillis
            const answer = yield* inTime(access(id, { payment }), STEP_MILLIS)
            assert.deepStrictEqual(
              [answer.status, answer.body.data.code],
              [503, "ledger_unavailable"],
              answer.text
            )
            assert.isAtLeast(Number(answer.headers.get("retry-after")), 1)
            assert.isAtMost((yield* Clock.currentTimeMillis) - began, 4000)
          }
          // A service that cannot take money names no price.
          for (const answer of [
            yield* access(id),
            yield* client.send("POST", tips, { body: { amountXno: "0.5" } })
          ])
            assert.deepStrictEqual([answer.status, answer.body.data.code], [503, "ledger_unavailable"])

          silent.delete(number)
          const back = yield* Clock.currentTimeMillis
          let answer = yield* inTime(access(id, { payment }), STEP_MILLIS)
          while (answer.status === 503) {
            yield* inTime(Effect.sleep("1 second"), STEP_MILLIS)
            answer = yield* inTime(access(id, { payment }), STEP_MILLIS)
          }
          assert.strictEqual(answer.status, 200, answer.text)
          assert.isAtMost((yield* Clock.currentTimeMillis) - back, 5000)
        }).pipe(Effect.provide(shop))
      }).pipe(Effect.scoped)
  )
