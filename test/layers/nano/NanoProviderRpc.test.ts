import { createServer } from "node:http"
import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as StateStoreSqlite from "../../../layers/local/StateStoreSqlite.ts"
import * as NanoProviderRpc from "../../../layers/nano/NanoProviderRpc.ts"
import { BlockHash } from "../../../schemas/platform/NanoBlock.ts"
import { NanoProvider } from "../../../src/mcp/local/ports/NanoProvider.ts"
import { StateStore } from "../../../src/mcp/local/ports/StateStore.ts"
import { saveMeta } from "../../../src/mcp/local/state/meta.sql.ts"
import { stateDirectory } from "../../mcp/local/localEdition.ts"
import { walletOf } from "../../support/actors/owner.ts"
import { listening } from "../../support/listening.ts"

const { account } = walletOf(1)
const ROOT = BlockHash.make("A".repeat(64))
const FRONTIER = "B".repeat(64)

/** A node that answers each action with this text. */
const nodeOf = Effect.fnUntraced(function* (answers: Readonly<Record<string, string>>) {
  const asked: Array<any> = []
  const server = createServer((request, response) => {
    let body = ""
    request.on("data", (chunk: Buffer) => (body += chunk.toString()))
    request.on("end", () => {
      const action = JSON.parse(body)
      asked.push(action)
      response.setHeader("content-type", "application/json")
      response.end(answers[action.action] ?? `{"error":"Unknown command"}`)
    })
  })
  const port = yield* listening(server)
  return { url: `http://127.0.0.1:${port}`, asked }
})

const named = (urls: string) =>
  StateStore.use((store) => store.write((tx) => Effect.sync(() => saveMeta(tx, "nano-rpc", urls))))

const inState = <A, E>(test: Effect.Effect<A, E, NanoProvider | StateStore>) =>
  Effect.flatMap(stateDirectory, (directory) =>
    Effect.provide(
      test,
      NanoProviderRpc.layer.pipe(
        Layer.provideMerge(StateStoreSqlite.layer({ directory, origin: "https://press.test" })),
        Layer.provide(NodeHttpClient.layerNodeHttp)
      )
    )
  )

const codeOf = <A, E extends { readonly code: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ code }) => code)

const head = JSON.stringify({ frontier: FRONTIER, balance: "5", representative: account })

describe("the Nano node of a person", () => {
  it.live("A node reports the head of an account, and makes work", () =>
    Effect.gen(function* () {
      const node = yield* nodeOf({
        account_info: head,
        work_generate: `{"work":"0000000000000001"}`
      })
      yield* inState(
        Effect.gen(function* () {
          const provider = yield* NanoProvider
          assert.strictEqual(yield* codeOf(provider.account(account)), "nano-provider-not-configured")
          yield* named(node.url)
          assert.deepStrictEqual(yield* provider.account(account), {
            frontier: BlockHash.make(FRONTIER),
            balanceRaw: 5n,
            representative: account
          })
          assert.strictEqual(yield* provider.work(ROOT, 0n), "0000000000000001")
          // Less work than asked for would be refused with the payment.
          assert.strictEqual(yield* codeOf(provider.work(ROOT, (1n << 64n) - 1n)), "service-unavailable")
          assert.deepStrictEqual(
            node.asked.map(({ action }) => action),
            ["account_info", "work_generate", "work_generate"]
          )
        })
      )
    })
  )

  it.live("The next node is asked after an unavailable one, and an empty account is not a failure", () =>
    Effect.gen(function* () {
      const unknown = yield* nodeOf({ account_info: `{"error":"Account not found"}` })
      const broken = yield* nodeOf({ account_info: `{"error":"Bad account number"}` })
      const garbled = yield* nodeOf({ account_info: `{"frontier":"x"}` })
      yield* inState(
        Effect.gen(function* () {
          const { account: ask } = yield* NanoProvider
          yield* named(`http://127.0.0.1:1,${unknown.url}`)
          assert.isUndefined(yield* ask(account))
          for (const url of ["http://127.0.0.1:1", broken.url, garbled.url]) {
            yield* named(url)
            assert.strictEqual(yield* codeOf(ask(account)), "service-unavailable", url)
          }
        })
      )
    })
  )

  it.live("An endless answer is not read on, and a redirect is not followed", () =>
    Effect.gen(function* () {
      const other = yield* nodeOf({ account_info: head })
      const part = Buffer.alloc(65_536, " ")
      let sent = 0
      const server = createServer((request, response) => {
        if (request.url === "/moved") {
          response.writeHead(307, { location: other.url }).end()
          return
        }
        const flood = () => {
          for (let isTaken = true; isTaken && !response.destroyed;) {
            sent += part.length
            isTaken = response.write(part)
          }
        }
        response.on("drain", flood)
        flood()
      })
      const url = `http://127.0.0.1:${yield* listening(server)}`
      yield* inState(
        Effect.gen(function* () {
          const { account: ask } = yield* NanoProvider
          for (const place of ["/", "/moved"]) {
            yield* named(`${url}${place}`)
            assert.strictEqual(yield* codeOf(ask(account)), "service-unavailable", place)
          }
        })
      )
      assert.isBelow(sent, 32 * 1024 * 1024)
      assert.deepStrictEqual(other.asked, [])
    })
  )
})
