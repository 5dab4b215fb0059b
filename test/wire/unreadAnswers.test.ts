import { readFileSync, writeFileSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { runDemo } from "../../src/bin/demoFlow.ts"
import { temporaryDirectory } from "../support/directories.ts"
import { serveIn } from "./program.ts"
import { get } from "./sockets.ts"

const MEBIBYTE = 1024 * 1024

/** Maximum memory of the process at its peak; it uses half of this before the first request. */
const MEMORY_BYTES_MAX = 600 * MEBIBYTE

/** Restarts the measurement of a process's peak memory from its present memory. */
const forgetPeak = (pid: number | undefined) => writeFileSync(`/proc/${pid}/clear_refs`, "5")

const peakOf = (pid: number | undefined) => {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? []
  return Number(kilobytes) * 1024
}

/** Opens connections from another address that send this and never read, until the scope ends. */
const unread = (port: number, count: number, request: string) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      Array.from({ length: count }, (): Socket => {
        const socket = connect({ port, host: "127.0.0.1", localAddress: "127.0.0.2" })
        socket.on("error", () => {})
        socket.pause()
        socket.write(request)
        return socket
      })
    ),
    (sockets) => Effect.sync(() => sockets.forEach((it) => it.destroy()))
  )

const asked = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`

/** Reads a few answers, one after the other, while other clients do not read theirs. */
const served = Effect.fnUntraced(function* (origin: string) {
  for (let i = 0; i < 10; i++) {
    for (const path of ["/health/live", "/api/posts", "/docs"]) {
      assert.strictEqual((yield* get(`${origin}${path}`)).status, 200, path)
    }
  }
})

describe("clients that do not read their answers", { timeout: 120_000 }, () => {
  it.live("neither end the process nor keep others from being served", () =>
    Effect.gen(function* () {
      const { child, firstLine } = yield* serveIn(yield* temporaryDirectory, {
        LOG_LEVEL: "warn",
        RATE_LIMIT_FACTOR: "1000000"
      })
      const [, origin = ""] = /(http:\/\/\S+)$/.exec(yield* firstLine) ?? []
      const port = Number(new URL(origin).port)
      const url = yield* runDemo({
        baseUrl: origin,
        markdown: "汉字 ".repeat(30_000),
        print: () => Effect.void
      })
      const page = yield* get(`${origin}${new URL(url).pathname}`)
      assert.isAbove(Buffer.byteLength(page.text), 200_000)
      const [post] = JSON.parse((yield* get(`${origin}/api/posts`)).text).data
      forgetPeak(child.pid)
      const before = peakOf(child.pid)

      for (const [count, path] of [
        [100, "/docs"],
        [1_150, `/api/posts/${post.id}/public-content`],
        [300, new URL(url).pathname]
      ] as const) {
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* unread(port, count, asked(path))
            yield* served(origin)
          })
        )
        // Several requests of one connection.
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* unread(port, 20, asked(path).repeat(200))
            yield* served(origin)
          })
        )
        const peak = peakOf(child.pid)
        assert.isBelow(
          peak,
          MEMORY_BYTES_MAX,
          `${path}: ${peak / MEBIBYTE} of ${before / MEBIBYTE} MiB before`
        )
      }
      assert.isNull(child.exitCode)
    }).pipe(Effect.provide(Layer.mergeAll(NodeHttpClient.layerUndici, SecureRandom.layerWebCrypto)))
  )
})
