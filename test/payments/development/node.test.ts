import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import * as NanoLedgerDevelopment from "../../../layers/nano/NanoLedgerDevelopment.ts"
import { addressOfPublicKey, NanoPublicKey, RAW_PER_XNO } from "../../../schemas/platform/Nano.ts"
import { blockHash } from "../../../src/platform/nano/blocks.ts"
import { DevelopmentLedger } from "../../../src/platform/ports/DevelopmentLedger.ts"
import { vectors } from "../../platform/nano/vectors.ts"
import { payerOn, wireBlock } from "../../support/actors/payer.ts"
import { database } from "../../support/Database.ts"
import {
  LOCAL,
  service,
  type ServiceOptions,
  TestClient,
  type TestRequest
} from "../../support/TestClient.ts"

const XNO = RAW_PER_XNO
const HASH = /^[0-9A-F]{64}$/

const development: ServiceOptions = {
  changePorts: (ports) => Layer.merge(ports, NanoLedgerDevelopment.layer)
}

/** Sends an action as a wallet does. */
const ask = Effect.fnUntraced(function* (action: string, request: Readonly<Record<string, unknown>> = {}) {
  const client = yield* TestClient
  const answer = yield* client.send("POST", "/dev/nano", { ...LOCAL, body: { action, ...request } })
  assert.strictEqual(answer.status, 200)
  return answer.body
})

const payer = Effect.fnUntraced(function* (number: number) {
  return payerOn(Option.getOrThrow(yield* DevelopmentLedger), number)
})

layer(service(database("test_dev_nano"), 1, development))("the node of a development ledger", (it) => {
  it.effect("The node reads requests, and blocks in them, of at most 32 levels", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels)
      const errorOf = (body: string) =>
        Effect.map(client.send("POST", "/dev/nano", { ...LOCAL, body }), (answer) => answer.body.error)
      assert.strictEqual(yield* errorOf(`{"action":"x","a":${nested(31)}}`), "Unknown command")
      assert.strictEqual(yield* errorOf(`{"action":"x","a":${nested(32)}}`), "Unable to parse JSON")
      assert.strictEqual(yield* errorOf("[".repeat(8000)), "Unable to parse JSON")
      const block = JSON.stringify(`{"a":${nested(32)}}`)
      assert.strictEqual(yield* errorOf(`{"action":"process","block":${block}}`), "Block is invalid")
    })
  )

  it.effect("The node and its faucet exist only for programs of this machine", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const { account } = yield* payer(3)
      const strangers: ReadonlyArray<TestRequest> = [
        {},
        { headers: LOCAL.headers },
        { from: LOCAL.from },
        { ...LOCAL, from: "192.168.0.7" },
        { ...LOCAL, headers: { host: "press.example" } },
        { ...LOCAL, headers: { ...LOCAL.headers, "x-forwarded-for": "127.0.0.1" } },
        { ...LOCAL, headers: { ...LOCAL.headers, origin: "https://press.example" } }
      ]
      for (const stranger of strangers) {
        for (const body of [{ action: "faucet", account, amount: "1" }, "[", ""]) {
          const answer = yield* client.send("POST", "/dev/nano", { ...stranger, body })
          assert.strictEqual(answer.status, 404, JSON.stringify(stranger))
          assert.isNull(answer.headers.get("x-pennypress-ledger"))
        }
      }
      assert.deepStrictEqual(yield* ask("receivable", { account }), { blocks: "" })
    })
  )

  it.effect("A wallet opens an account with money of the faucet and sends it on, as with a node", () =>
    Effect.gen(function* () {
      const [wallet, other] = [yield* payer(1), yield* payer(2)]
      const { account } = wallet
      assert.deepStrictEqual(yield* ask("account_info", { account }), { error: "Account not found" })
      assert.deepStrictEqual(yield* ask("receivable", { account }), { blocks: "" })

      const { hash: given } = yield* ask("faucet", { account, amount: (2n * XNO).toString() })
      assert.match(given, HASH)
      assert.deepStrictEqual(yield* ask("receivable", { account }), { blocks: [given] })
      assert.deepStrictEqual(yield* ask("receivable", { account, threshold: "1" }), {
        blocks: { [given]: (2n * XNO).toString() }
      })
      const faucet = (yield* ask("block_info", { hash: given })).block_account
      assert.deepStrictEqual(yield* ask("receivable", { account, source: "true", threshold: "1" }), {
        blocks: { [given]: { amount: (2n * XNO).toString(), source: faucet } }
      })

      const opening = yield* wallet.next((balance) => ({ balance: balance + 2n * XNO, link: given }))
      const opened = yield* ask("process", { json_block: "true", subtype: "open", block: wireBlock(opening) })
      assert.deepStrictEqual(opened, { hash: blockHash(opening) })
      assert.deepStrictEqual(yield* ask("process", { json_block: "true", block: wireBlock(opening) }), {
        error: "Old block"
      })
      const fresh = yield* ask("account_info", { account, include_confirmed: "true", representative: "true" })
      assert.deepInclude(fresh, {
        frontier: opened.hash,
        balance: (2n * XNO).toString(),
        block_count: "1",
        confirmed_frontier: "0".repeat(64),
        confirmed_balance: "0",
        representative: account
      })

      yield* TestClock.adjust(500)
      const sending = yield* wallet.send(other.account, XNO)
      const text = JSON.stringify(wireBlock(sending))
      assert.deepStrictEqual(yield* ask("process", { subtype: "send", block: text }), {
        hash: blockHash(sending)
      })
      const later = yield* ask("account_info", { account, include_confirmed: "true", receivable: "true" })
      assert.deepInclude(later, {
        frontier: blockHash(sending),
        open_block: opened.hash,
        confirmed_frontier: opened.hash,
        confirmation_height: "1",
        receivable: "0"
      })
      const info = yield* ask("block_info", { hash: opened.hash, json_block: "true" })
      assert.deepInclude(info, {
        successor: blockHash(sending),
        subtype: "receive",
        confirmed: "true",
        height: "1"
      })
      assert.deepInclude(info.contents, wireBlock(opening))
      assert.deepStrictEqual(
        JSON.parse((yield* ask("block_info", { hash: opened.hash })).contents),
        info.contents
      )

      assert.deepStrictEqual(yield* ask("receivable", { account: other.account }), { blocks: "" })
      assert.deepStrictEqual(
        yield* ask("receivable", { account: other.account, include_only_confirmed: "false" }),
        {
          blocks: [blockHash(sending)]
        }
      )
      const { history } = yield* ask("account_history", { account, count: "10" })
      assert.deepStrictEqual(
        history.map(({ account: whose, type }: Record<string, string>) => [type, whose]),
        [
          ["send", other.account],
          ["receive", faucet]
        ]
      )
      const raw = yield* ask("account_history", { account, count: "1", raw: "true" })
      assert.deepInclude(raw.history[0], { subtype: "send", previous: opened.hash, type: "state" })
      assert.strictEqual(raw.previous, opened.hash)
    })
  )

  it.effect("The node needs no work, and says so", () =>
    Effect.gen(function* () {
      const { work } = yield* ask("work_generate", { hash: "A".repeat(64) })
      assert.strictEqual(work, "0000000000000000")
      const wallet = yield* payer(3)
      yield* wallet.fund()
      const block = { ...(yield* wallet.send((yield* payer(4)).account, 1n)), work }
      assert.deepStrictEqual(yield* ask("process", { block: wireBlock(block) }), { hash: blockHash(block) })
    })
  )

  it.effect("The node refuses published blocks of the real network, which refer to others", () =>
    Effect.gen(function* () {
      for (const { block, signatureValid } of vectors.blocks) {
        if (block["type"] !== "state" || signatureValid !== true) continue
        const answer = yield* ask("process", { json_block: "true", block })
        assert.include(["Gap previous block", "Gap source block"], answer.error, JSON.stringify(block))
      }
    })
  )

  it.effect("A caller cannot sign for the faucet, and gets at most 1000 XNO", () =>
    Effect.gen(function* () {
      const wallet = yield* payer(5)
      const { account } = wallet
      for (const amount of ["0", (1000n * XNO + 1n).toString(), "-1", "1.5", "", "1".repeat(50), {}, null]) {
        assert.match(
          (yield* ask("faucet", { account, amount })).error,
          /^Bad amount number/,
          JSON.stringify(amount)
        )
      }
      const { hash } = yield* ask("faucet", { account, amount: (1000n * XNO).toString() })
      const { contents } = yield* ask("block_info", { hash, json_block: "true" })
      const stolen = wallet.signed({ ...contents, previous: hash, balance: 0n })
      assert.deepStrictEqual(yield* ask("process", { block: wireBlock(stolen) }), { error: "Bad signature" })
    })
  )

  it.effect("The node answers hostile requests as a node does", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const actions = [
        "account_info",
        "account_history",
        "block_info",
        "process",
        "receivable",
        "faucet",
        "work_generate"
      ]
      const weird = fc.oneof(
        fc.string({ unit: "binary", maxLength: 80 }),
        fc.jsonValue({ maxDepth: 3 }),
        fc.constantFrom("__proto__", "constructor", "0".repeat(64), "nano_", "true", "-1", "9".repeat(400))
      )
      const members = [
        "account",
        "hash",
        "count",
        "head",
        "amount",
        "threshold",
        "subtype",
        "block",
        "raw",
        "source"
      ]
      const request = fc.tuple(
        fc.oneof(fc.constantFrom(...actions), weird),
        fc.dictionary(fc.constantFrom(...members), weird, { maxKeys: 6 })
      )
      for (const [action, rest] of fc.sample(request, { numRuns: 300, seed: 20_261_123 })) {
        const answer = yield* client.send("POST", "/dev/nano", { ...LOCAL, body: { ...rest, action } })
        assert.strictEqual(answer.status, 200, JSON.stringify([action, rest]))
        assert.isObject(answer.body)
      }
      const bodies = [
        ["", "Unable to parse JSON"],
        ["[]", "Unable to parse JSON"],
        ["null", "Unable to parse JSON"],
        ["{", "Unable to parse JSON"],
        ["[".repeat(8000), "Unable to parse JSON"],
        ["{}", "Unknown command"],
        [`{"action": "toString"}`, "Unknown command"],
        [`{"action": "__proto__"}`, "Unknown command"],
        [
          `{"action": "faucet", "account": "${"x".repeat(8192)}"}`,
          "The body cannot be read, or has more than 8192 bytes"
        ],
        [new Uint8Array([0x7b, 0xff, 0x7d]), "Unable to parse JSON"]
      ] as const
      for (const [body, error] of bodies) {
        const answer = yield* client.send("POST", "/dev/nano", { ...LOCAL, body })
        assert.deepStrictEqual([answer.status, answer.body], [200, { error }])
        assert.strictEqual(answer.headers.get("x-pennypress-ledger"), "development")
      }
    })
  )
})

layer(service(database("test_dev_nano_limits"), 1, { ...development, rateLimitFactor: 1 }))(
  "the limits of a development node",
  (it) => {
    it.effect("The limit of the faucet counts by address", () =>
      Effect.gen(function* () {
        const client = yield* TestClient
        const account = addressOfPublicKey(NanoPublicKey.make("ab".repeat(32)))
        const give = (from: string) =>
          Effect.map(
            client.send("POST", "/dev/nano", {
              ...LOCAL,
              body: { action: "faucet", account, amount: "1" },
              from
            }),
            ({ body, status }) => [status, Object.keys(body).join()]
          )
        for (let call = 0; call < 20; call++) assert.deepStrictEqual(yield* give("127.0.0.1"), [200, "hash"])
        assert.deepStrictEqual(yield* give("127.0.0.1"), [200, "error"])
        assert.deepStrictEqual(yield* give("127.0.0.2"), [200, "hash"])
      })
    )
  }
)

layer(service(database("test_dev_nano_absent")))("a service with another ledger", (it) => {
  it.effect("A service with another ledger has no such route", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const answer = yield* client.send("POST", "/dev/nano", { ...LOCAL, body: { action: "faucet" } })
      assert.strictEqual(answer.status, 404)
    })
  )
})
