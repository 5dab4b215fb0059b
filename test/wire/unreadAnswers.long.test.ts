import { readFileSync, writeFileSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { runDemo } from "../../src/bin/demoFlow.ts"
import { plainClient } from "../operations/plainClient.ts"
import { signMessage, walletOf } from "../support/actors/owner.ts"
import { freshDatabase } from "../support/Database.ts"
import { temporaryDirectory } from "../support/directories.ts"
import { serveIn } from "./program.ts"
import { get } from "./sockets.ts"

const MEBIBYTE = 1024 * 1024

/** Maximum memory of the process at its peak. */
const MEMORY_BYTES_MAX = 450 * MEBIBYTE

/** The longest section: 800 KB. */
const LONGEST_SECTION = "😀".repeat(200_000)

/** Connections of one address, fewer than the server allows a client. */
const CONNECTIONS_PER_ADDRESS = 230

/** Restarts the measurement of a process's peak memory from its present memory. */
const forgetPeak = (pid: number | undefined) => writeFileSync(`/proc/${pid}/clear_refs`, "5")

const peakOf = (pid: number | undefined) => {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? []
  return Number(kilobytes) * 1024
}

/** Opens connections from other addresses that send this and never read, until the scope ends. */
const unread = (port: number, count: number, request: string) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      Array.from({ length: count }, (_, i): Socket => {
        const localAddress = `127.0.0.${2 + Math.floor(i / CONNECTIONS_PER_ADDRESS)}`
        const socket = connect({ port, host: "127.0.0.1", localAddress })
        socket.on("error", () => {})
        socket.pause()
        socket.write(request)
        return socket
      })
    ),
    (sockets) => Effect.sync(() => sockets.forEach((it) => it.destroy()))
  )

const asked = (path: string, key?: string) =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\n${key === undefined ? "" : `Authorization: Bearer ${key}\r\n`}\r\n`

/** Saves drafts with two of the longest sections each. Returns the Publishing key of their author. */
const authorOfLongDrafts = Effect.fnUntraced(function* (origin: string) {
  const { send } = plainClient(origin)
  const wallet = walletOf(1)
  const { account } = wallet
  const { challengeId, message } = yield* send("sessionsChallengeWallet", 201, { body: { account } })
  const claim = { challengeId, account, signature: signMessage(wallet, message) }
  const { accessToken } = yield* send("sessionsClaimWallet", 200, { body: claim })
  const { key } = yield* send("apiKeysIssue", 200, { token: accessToken, body: {} })
  const draft = {
    title: "Long",
    freeContentMarkdown: LONGEST_SECTION,
    enablePaywall: true,
    paidContentMarkdown: LONGEST_SECTION
  }
  for (let i = 0; i < 3; i++) yield* send("postsCreate", 201, { token: key, body: draft })
  return key as string
})

/** Reads a few answers, one after the other, while other clients do not read theirs. */
const served = Effect.fnUntraced(function* (origin: string) {
  for (let i = 0; i < 5; i++) {
    for (const path of ["/health/live", "/api/posts", "/docs"]) {
      assert.strictEqual((yield* get(`${origin}${path}`)).status, 200, path)
    }
  }
})

describe("clients that do not read their answers", () => {
  it.live("Clients that do not read their answers neither end the process nor block others", () =>
    Effect.gen(function* () {
      const databaseUrl = yield* freshDatabase("test_wire_unread")
      const { child, firstLine } = yield* serveIn(yield* temporaryDirectory, {
        DATABASE_URL: Redacted.value(databaseUrl),
        SERVER_SECRET: "a secret that this test keeps to itself",
        LOG_LEVEL: "warn",
        RATE_LIMIT_FACTOR: "1000000"
      })
      const [, origin = ""] = /(http:\/\/\S+)$/.exec(yield* firstLine) ?? []
      const port = Number(new URL(origin).port)
      const { url } = yield* runDemo({ baseUrl: origin, markdown: LONGEST_SECTION, print: () => Effect.void })
      const [post] = JSON.parse((yield* get(`${origin}/api/posts`)).text).data
      const content = `/api/posts/${post.id}/public-content`
      assert.isAbove(Buffer.byteLength((yield* get(`${origin}${content}`)).text), 800_000)
      const key = yield* authorOfLongDrafts(origin)
      forgetPeak(child.pid)
      const before = peakOf(child.pid)

      const ownList = asked("/api/v1/posts?per_page=50", key)
      for (const [what, count, request] of [
        ["the documentation", 100, asked("/openapi.json")],
        ["one Post", 1_150, asked(content)],
        ["the page of a Post", 300, asked(new URL(url).pathname)],
        ["own lists", 250, ownList],
        // Several requests of one connection.
        ["the documentation, pipelined", 20, asked("/openapi.json").repeat(200)],
        ["one Post, pipelined", 20, asked(content).repeat(200)],
        ["own lists, pipelined", 4, ownList.repeat(16)]
      ] as const) {
        yield* Effect.scoped(Effect.andThen(unread(port, count, request), served(origin)))
        const peak = peakOf(child.pid)
        assert.isBelow(
          peak,
          MEMORY_BYTES_MAX,
          `${what}: ${peak / MEBIBYTE} of ${before / MEBIBYTE} MiB before`
        )
        forgetPeak(child.pid)
      }
      assert.isNull(child.exitCode)
    }).pipe(Effect.provide(Layer.mergeAll(NodeHttpClient.layerUndici, SecureRandom.layerWebCrypto)))
  )
})
