import { createServer } from "node:http"
import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import * as StateStoreSqlite from "../../../layers/local/StateStoreSqlite.ts"
import { freePort } from "../../../layers/postgres/embedded/server.ts"
import { runDemo } from "../../../src/bin/demoFlow.ts"
import { StateStore } from "../../../src/mcp/local/ports/StateStore.ts"
import { insertGrant } from "../../../src/mcp/local/state/grants.sql.ts"
import { readIdentity } from "../../../src/mcp/local/state/identity.sql.ts"
import { walletOf } from "../../support/actors/owner.ts"
import { listening } from "../../support/listening.ts"
import { started } from "../../wire/server.ts"
import { get } from "../../wire/sockets.ts"
import { stateDirectory } from "./localEdition.ts"
import { PROGRAM, svcMcp } from "./svcMcp.ts"

const ORIGIN = "http://localhost:4"

/** The address of a key of zeros, which no wallet has. */
const BURN = "nano_1111111111111111111111111111111111111111111111111111hifc8npp"

const INITIALIZE =
  '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}'

/** A Nano node that knows no account, unless a test writes an answer. */
const scriptedNode = Effect.gen(function* () {
  const node = {
    port: 0,
    answer: { error: "Account not found" } as unknown,
    asked: [] as Array<{ action: object; authorization: string | undefined; url: string | undefined }>
  }
  const server = createServer((request, response) => {
    let body = ""
    request.on("data", (part: Buffer) => (body += part.toString()))
    request.on("end", () => {
      const { headers, url } = request
      node.asked.push({ action: JSON.parse(body), authorization: headers.authorization, url })
      response.end(typeof node.answer === "string" ? node.answer : JSON.stringify(node.answer))
    })
  })
  node.port = yield* listening(server)
  return node
})

describe("the program svc-mcp", () => {
  it.live("The program ends with a status that says why", () =>
    Effect.gen(function* () {
      const directory = yield* stateDirectory
      const flags = ["--origin", ORIGIN, "--state-dir", directory]
      yield* Effect.forEach(
        [
          [[...flags, "serve"], 0, ""],
          [["status"], 64, "origin-invalid"],
          [[...flags, "nonsense"], 64, "nonsense"],
          [[...flags, "grant", "discussion"], 77, "terminal-required"]
        ] as const,
        ([args, status, said]) =>
          Effect.map(svcMcp(args), (ended) => {
            assert.strictEqual(ended.status, status, ended.stderr)
            assert.include(ended.stdout + ended.stderr, said)
          }),
        { concurrency: 2 }
      )
    })
  )

  it.live("The program sets up an agent, and serves its tools over standard input and output", () =>
    Effect.gen(function* () {
      const { origin } = yield* started("test_mcp_local_program")
      const directory = yield* stateDirectory
      const env = { SVC_ORIGIN: origin, SVC_STATE_DIR: directory }
      const setup = ["setup", "new-agent", "--name", "Agent Smith", "--handle", "agent_smith"]
      const made = yield* svcMcp(setup, env)
      assert.deepStrictEqual([made.status, made.stderr], [0, ""], made.stderr)
      const again = yield* svcMcp(setup, env)
      assert.strictEqual(again.status, 77)
      assert.include(again.stderr, "identity-already-selected")
      const status = JSON.parse((yield* svcMcp(["status"], env)).stdout)
      assert.deepInclude(status.identity, { status: "verified", authorKind: "agent", handle: "agent_smith" })

      // Nothing is sent for an amount or an address that is none, and nothing without a person.
      const own: string = status.wallet.address
      const { account: to } = walletOf(1)
      yield* Effect.forEach(
        [
          [to.replace(/.$/, (last) => (last === "1" ? "3" : "1")), "0.1", 64, "checksum does not match"],
          [to.slice(0, -1), "0.1", 64, "--to"],
          [to, "0", 65, "amount"],
          [to, `0.${"0".repeat(30)}1`, 65, "at most 30 decimals"],
          [to, "1e3", 65, "amount"],
          [to, "1,000", 65, "can mean 1000 or 1 XNO"],
          [to, "340282366921", 65, "amount"],
          [own, "0.1", 65, "the wallet itself"],
          [BURN, "0.1", 65, "the money would be lost"],
          [to, "0.1", 77, `status --set-nano-rpc ${origin}/dev/nano`]
        ] as const,
        ([to, amount, code, said]) =>
          Effect.map(svcMcp(["wallet", "send", "--to", to, `--amount=${amount}`], env), (ended) => {
            assert.strictEqual(ended.status, code, `${to} ${amount}: ${ended.stderr}`)
            assert.include(ended.stdout + ended.stderr, said)
          }),
        { concurrency: 2 }
      )

      yield* Effect.promise(async () => {
        const client = new Client({ name: "tests", version: "1.0.0" })
        await client.connect(
          new StdioClientTransport({
            command: process.execPath,
            args: [PROGRAM, "--origin", origin, "--state-dir", directory, "serve"],
            stderr: "ignore"
          }) as never
        )
        const { tools } = await client.listTools()
        assert.isAbove(tools.length, 15)
        const context: any = await client.callTool({ name: "svc_context", arguments: {} })
        assert.strictEqual(context.structuredContent.identity.status, "verified")
        const draft: any = await client.callTool({
          name: "svc_create_draft",
          arguments: { title: "From a process", free_content_markdown: "One." }
        })
        assert.strictEqual(draft.structuredContent.operation.phase, "complete")
        const refused: any = await client.callTool({
          name: "svc_publish",
          arguments: {
            post_id: draft.structuredContent.draft.id,
            revision: draft.structuredContent.draft.revision
          }
        })
        assert.isTrue(refused.isError)
        assert.isUndefined(refused.structuredContent)
        await client.ping()
        await client.close()
      })

      const lines = [
        INITIALIZE,
        "nonsense",
        '{"jsonrpc":"2.0","method":"notifications/initialized"}',
        '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"svc_list_drafts","arguments":{}}}'
      ]
      const served = yield* svcMcp(["serve"], env, `${lines.join("\n")}\n`)
      const answers = served.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
      assert.strictEqual(served.status, 0)
      assert.sameMembers(
        answers.map(({ error, id }) => error?.code ?? id),
        [1, -32700, 2]
      )
      const listed = answers.find(({ id }) => id === 2)
      assert.strictEqual(listed.result.structuredContent.total, 1)
    })
  )

  it.live("The program asks the Nano node that its setup named, before it pays", () =>
    Effect.gen(function* () {
      const port = yield* freePort
      const origin = `http://127.0.0.1:${port}`
      const environment = { SCANNER: "none", PORT: String(port), PUBLIC_BASE_URL: origin }
      yield* started("test_mcp_local_program_nano", {}, environment)
      yield* runDemo({ baseUrl: origin, markdown: "Free.", print: () => Effect.void }).pipe(
        Effect.provide(Layer.mergeAll(NodeHttpClient.layerUndici, SecureRandom.layerWebCrypto))
      )
      const { data } = JSON.parse((yield* get(`${origin}/api/posts`)).text)
      const paid = data.find(({ enablePaywall }: { enablePaywall: boolean }) => enablePaywall)
      const node = yield* scriptedNode
      const directory = yield* stateDirectory
      const env = { SVC_ORIGIN: origin, SVC_STATE_DIR: directory }
      const setup = (nanoRpc: string) =>
        svcMcp(
          ["setup", "new-human", "--name", "A buyer", "--handle", "buyer_one", "--nano-rpc", nanoRpc],
          env
        )

      for (const wrong of [
        "file:///etc/passwd",
        "ws://node.test",
        "https://node.test/#key",
        "",
        "https://a,b"
      ]) {
        const refused = yield* setup(wrong)
        assert.strictEqual(refused.status, 65, wrong)
        assert.include(refused.stderr, "nano-rpc")
      }
      assert.strictEqual(JSON.parse((yield* svcMcp(["status"], env)).stdout).spending.configured, false)
      const made = yield* setup(`http://user:secret@127.0.0.1:${node.port}/rpc?key=hidden`)
      assert.deepStrictEqual([made.status, made.stderr], [0, ""])
      const status = yield* svcMcp(["status"], env)
      assert.isTrue(JSON.parse(status.stdout).spending.configured)
      // The address may hold a key.
      assert.notMatch(status.stdout + made.stdout, /secret|hidden/)

      const account = yield* Effect.gen(function* () {
        const store = yield* StateStore
        return yield* store.write((tx) =>
          Effect.sync(() => {
            const { ownerId, profileId, walletAddress } = readIdentity(tx) ?? assert.fail("no identity")
            insertGrant(tx, {
              id: "a-grant",
              kind: "spending",
              origin,
              ownerId,
              profileId,
              postId: null,
              revision: null,
              digest: null,
              workflow: "buy_post",
              maxTotalRaw: BigInt(paid.priceRaw),
              maxEachRaw: BigInt(paid.priceRaw),
              expiresAt: tx.now + 86_400_000
            })
            return walletAddress
          })
        )
      }).pipe(Effect.provide(StateStoreSqlite.layer({ directory, origin })))

      const call = {
        jsonrpc: "2.0",
        id: 2,
        method: "tools/call",
        params: {
          name: "svc_buy_post",
          arguments: { post_id: paid.id, expected_price_raw: paid.priceRaw }
        }
      }
      const bought = Effect.gen(function* () {
        const served = yield* svcMcp(["serve"], env, `${INITIALIZE}\n${JSON.stringify(call)}\n`)
        assert.notMatch(served.stdout + served.stderr, /secret|hidden/)
        const answers = served.stdout.trim().split("\n")
        const answer = answers.map((line) => JSON.parse(line)).find(({ id }) => id === 2)
        return JSON.parse(answer.result.content[0].text).code as string
      })
      assert.strictEqual(yield* bought, "wallet-not-opened")
      // A balance that no block proves.
      node.answer = { frontier: "A".repeat(64), balance: "1", representative: account }
      assert.strictEqual(yield* bought, "service-unavailable")
      node.answer = "not JSON"
      assert.strictEqual(yield* bought, "service-unavailable")
      assert.isAtLeast(node.asked.length, 3)
      for (const { action, authorization, url } of node.asked) {
        assert.match(JSON.stringify(action), /"action":"(account_info|receivable|block_info)"/)
        assert.strictEqual(authorization, `Basic ${Buffer.from("user:secret").toString("base64")}`)
        assert.strictEqual(url, "/rpc?key=hidden")
      }
    })
  )
})
