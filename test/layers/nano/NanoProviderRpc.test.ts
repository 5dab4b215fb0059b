import { createServer } from "node:http"
import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import * as StateStoreSqlite from "../../../layers/local/StateStoreSqlite.ts"
import * as NanoProviderRpc from "../../../layers/nano/NanoProviderRpc.ts"
import { MAX_RAW } from "../../../schemas/platform/Nano.ts"
import { BlockHash, SignedBlock } from "../../../schemas/platform/NanoBlock.ts"
import { NanoProvider } from "../../../src/mcp/local/ports/NanoProvider.ts"
import { StateStore } from "../../../src/mcp/local/ports/StateStore.ts"
import { saveMeta } from "../../../src/mcp/local/state/meta.sql.ts"
import { stateDirectory } from "../../mcp/local/localEdition.ts"
import { vectors } from "../../platform/nano/vectors.ts"
import { walletOf } from "../../support/actors/owner.ts"
import { listening } from "../../support/listening.ts"

const ROOT = BlockHash.make("A".repeat(64))

/** A published block, as the head of its account. */
const { block: contents, hash: FRONTIER } = vectors.blocks[0] ?? assert.fail("no block")
const head = Schema.decodeUnknownSync(SignedBlock)(contents)
const { account, representative } = head

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

const inState = <A, E, R>(test: Effect.Effect<A, E, R>) =>
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

const info = JSON.stringify({ frontier: FRONTIER, balance: "5", representative: walletOf(1).account })
const blockOf = (changes: object = {}, confirmed = "true") =>
  JSON.stringify({ confirmed, contents: { ...contents, ...changes } })

describe("the Nano node of a person", () => {
  it.live("A node reports the head of an account, and makes work", () =>
    Effect.gen(function* () {
      const node = yield* nodeOf({
        account_info: info,
        block_info: blockOf(),
        work_generate: `{"work":"0000000000000001"}`
      })
      yield* inState(
        Effect.gen(function* () {
          const provider = yield* NanoProvider
          assert.strictEqual(yield* codeOf(provider.account(account)), "nano-provider-not-configured")
          yield* named(node.url)
          assert.deepStrictEqual(yield* provider.account(account), {
            frontier: BlockHash.make(FRONTIER),
            // The block says so; the word of the node does not count.
            balanceRaw: head.balance,
            representative
          })
          const most = (1n << 64n) - 1n
          assert.strictEqual(yield* provider.work(ROOT, 0n, true), "0000000000000001")
          assert.strictEqual(yield* provider.work(ROOT, most, false), "0000000000000001")
          // Less work than asked for would be refused with the payment.
          assert.strictEqual(yield* codeOf(provider.work(ROOT, most, true)), "service-unavailable")
          assert.deepStrictEqual(
            node.asked.map(({ action }) => action),
            ["account_info", "block_info", "work_generate", "work_generate", "work_generate"]
          )
        })
      )
    })
  )

  it.live("A node that lies about the head of a wallet, or about a block, is not believed", () =>
    Effect.gen(function* () {
      const other = vectors.blocks[1] ?? assert.fail("no second block")
      yield* inState(
        Effect.gen(function* () {
          const provider = yield* NanoProvider
          for (const answers of [
            { account_info: info, block_info: blockOf({ balance: "1" }) },
            { account_info: info, block_info: blockOf({ representative: walletOf(1).account }) },
            { account_info: JSON.stringify({ frontier: "C".repeat(64) }), block_info: blockOf() },
            // The block of another account.
            {
              account_info: JSON.stringify({ frontier: other.hash }),
              block_info: JSON.stringify({ contents: other.block })
            },
            { account_info: info, block_info: `{"error":"Block not found"}` },
            { account_info: info, block_info: `{"contents":"no block"}` },
            { account_info: info }
          ]) {
            yield* named((yield* nodeOf(answers)).url)
            const said = JSON.stringify(answers)
            assert.strictEqual(yield* codeOf(provider.account(account)), "service-unavailable", said)
          }
          const hash = BlockHash.make(FRONTIER)
          yield* named((yield* nodeOf({ block_info: blockOf({ balance: "1" }) })).url)
          assert.strictEqual(yield* codeOf(provider.block(hash)), "service-unavailable")
          yield* named((yield* nodeOf({ process: JSON.stringify({ hash: other.hash }) })).url)
          assert.strictEqual(yield* codeOf(provider.publish(head, "send")), "service-unavailable")
        })
      )
    })
  )

  it.live("A node lists what waits, says how far a block is, and judges blocks", () =>
    Effect.gen(function* () {
      const hash = BlockHash.make(FRONTIER)
      const [small, large] = ["D".repeat(64), "E".repeat(64)]
      yield* inState(
        Effect.gen(function* () {
          const provider = yield* NanoProvider
          const asking = Effect.fnUntraced(function* (answers: Readonly<Record<string, string>>) {
            const node = yield* nodeOf(answers)
            yield* named(node.url)
            return node.asked
          })
          const asked = yield* asking({
            receivable: JSON.stringify({ blocks: { [small]: "1", [large]: String(MAX_RAW - 1n) } }),
            block_info: blockOf({}, "false"),
            process: JSON.stringify({ hash: FRONTIER })
          })
          const waiting = yield* provider.receivable(account)
          assert.deepStrictEqual(
            waiting.map(({ hash }) => hash as string),
            [large, small]
          )
          assert.strictEqual(yield* provider.block(hash), "pending")
          assert.strictEqual(yield* provider.publish(head, "send"), "accepted")
          assert.deepInclude(asked[0], { include_only_confirmed: "true", account })
          assert.deepInclude(asked[2], { subtype: "send", json_block: "true" })
          for (const [words, answer] of [
            ["Old block", "accepted"],
            ["Fork", "fork"],
            ["Gap previous block", "gap"],
            ["Gap source block", "gap"],
            ["Bad signature", "refused"],
            ["Balance and amount delta do not match", "refused"],
            ["Block work is less than threshold", "refused"]
          ] as const) {
            yield* asking({ process: JSON.stringify({ error: words }) })
            assert.strictEqual(yield* provider.publish(head, "receive"), answer, words)
          }
          yield* asking({ process: `{"error":"RPC control is disabled"}` })
          assert.strictEqual(yield* codeOf(provider.publish(head, "send")), "service-unavailable")
          yield* asking({ receivable: `{"blocks":""}`, block_info: blockOf() })
          assert.deepStrictEqual(yield* provider.receivable(account), [])
          assert.strictEqual(yield* provider.block(hash), "confirmed")
          yield* asking({
            receivable: `{"error":"Account not found"}`,
            block_info: `{"error":"Block not found"}`
          })
          assert.deepStrictEqual(yield* provider.receivable(account), [])
          assert.strictEqual(yield* provider.block(hash), "absent")
          for (const blocks of [
            [small],
            { [small]: 1 },
            { x: "1" },
            { [small]: { amount: "1" } },
            { [small]: "2", [large]: String(MAX_RAW - 1n) }
          ]) {
            yield* asking({ receivable: JSON.stringify({ blocks }) })
            assert.strictEqual(yield* codeOf(provider.receivable(account)), "service-unavailable")
          }
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
      const other = yield* nodeOf({ account_info: info, block_info: blockOf() })
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
