import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { rawServer } from "../mail/smtpServer.ts"
import { answering, reason, scannerAt, scripted } from "./scriptedClamd.ts"

const bytes = Buffer.from("four")
const request = Buffer.from("zINSTREAM\0\0\0\0\x04four\0\0\0\0", "latin1")

/** More bytes than the kernel buffers for a connection without a reader. */
const large = Buffer.alloc(32 * 1024 * 1024, 1)

const scanned = (...pieces: ReadonlyArray<string>) =>
  Effect.flatMap(answering(pieces, request.length), (scanner) => scanner.scan(bytes))

describe("a scan by clamd", () => {
  it.effect("A scan sends the whole file, and accepts only clamd's exact words as clean", () =>
    Effect.gen(function* () {
      const received = yield* Deferred.make<string>()
      const scanner = yield* scripted((socket) => {
        const chunks: Array<Buffer> = []
        socket.on("data", (chunk: Buffer) => {
          chunks.push(chunk)
          const all = Buffer.concat(chunks)
          if (all.length < request.length) return
          Deferred.doneUnsafe(received, Exit.succeed(all.toString("latin1")))
          socket.end("stream: OK\0")
        })
      })
      assert.deepStrictEqual(yield* scanner.scan(bytes), { verdict: "clean" })
      assert.strictEqual(yield* Deferred.await(received), request.toString("latin1"))
    })
  )

  it.effect("A reply in pieces is understood", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* scanned("str", "eam: O", "K", "\0"), { verdict: "clean" })
    })
  )

  it.effect("Malware is reported by any name, and a scan that clamd could not finish as incomplete", () =>
    Effect.gen(function* () {
      for (const finding of [
        "Eicar",
        "Win.Test OK FOUND",
        "Heuristics.Phishing.Email",
        "X.Heuristics.Limits.X"
      ]) {
        assert.deepStrictEqual(yield* scanned(`stream: ${finding} FOUND\0`), { verdict: "malware", finding })
      }
      for (const finding of [
        "Heuristics.Limits.Exceeded.MaxFileSize",
        "Heuristics.Encrypted.Zip",
        "Heuristics.Broken.Media.PNG.CRC"
      ]) {
        assert.deepStrictEqual(yield* scanned(`stream: ${finding} FOUND\0`), {
          verdict: "incomplete",
          finding
        })
      }
    })
  )

  it.effect("Any other reply gives no verdict", () =>
    Effect.gen(function* () {
      const garbage = [
        "",
        "\0",
        "stream: OK",
        "stream: OK\n",
        "stream: OK\0\0",
        "stream: OK\0stream: Eicar FOUND\0",
        "stream: OK \0",
        " stream: OK\0",
        "Stream: OK\0",
        "stream: not OK\0",
        "stream:  FOUND\0",
        "stream: FOUND\0",
        "stream: Eicar FOUND",
        "stream: Ei\x1bcar FOUND\0",
        "1: stream: OK\0",
        "UNKNOWN COMMAND\0",
        "HTTP/1.1 400 Bad Request\r\n\r\n"
      ]
      for (const reply of garbage) {
        assert.strictEqual(yield* reason(scanned(reply)), "protocol", JSON.stringify(reply))
      }
      const pieces = ["stream: OK\0", "stream: Eicar FOUND\0"]
      assert.strictEqual(yield* reason(scanned(...pieces)), "protocol")
      assert.strictEqual(yield* reason(scanned("INSTREAM size limit exceeded. ERROR\0")), "size_limit")
      assert.strictEqual(yield* reason(scanned("COMMAND READ TIMED OUT\n")), "timeout")
    })
  )

  it.effect("A reply that arrives before the whole file was sent is ignored", () =>
    Effect.gen(function* () {
      const scanner = yield* scripted((socket) => socket.pause().end("stream: OK\0"))
      assert.strictEqual(yield* reason(scanner.scan(large)), "protocol")
    })
  )

  it.effect("An endless reply ends the scan at its first 4 KB", () =>
    Effect.gen(function* () {
      const scanner = yield* scripted((socket) => {
        const more = () => void socket.write(Buffer.alloc(1024, "x"), (error) => error ?? setImmediate(more))
        more()
      })
      assert.strictEqual(yield* reason(scanner.scan(bytes)), "protocol")
    })
  )

  it.effect("A scan ends after a minute without a complete reply", () =>
    Effect.gen(function* () {
      for (const drip of ["", "stream: O"]) {
        const heard = yield* Deferred.make<void>()
        const closed = yield* Deferred.make<void>()
        const scanner = yield* scripted((socket) => {
          socket.write(drip)
          socket.on("data", () => Deferred.doneUnsafe(heard, Exit.void))
          socket.on("close", () => Deferred.doneUnsafe(closed, Exit.void))
        })
        const scan = yield* Effect.forkChild(reason(scanner.scan(bytes)))
        yield* Deferred.await(heard)
        yield* TestClock.adjust("59 seconds")
        assert.isUndefined(scan.pollUnsafe())
        yield* TestClock.adjust("1 second")
        assert.strictEqual(yield* Fiber.join(scan), "timeout")
        yield* Deferred.await(closed)
      }
    })
  )

  it.effect("An interrupted scan closes its connection", () =>
    Effect.gen(function* () {
      const heard = yield* Deferred.make<void>()
      const closed = yield* Deferred.make<void>()
      const scanner = yield* scripted((socket) => {
        socket.once("data", () => Deferred.doneUnsafe(heard, Exit.void))
        socket.on("close", () => Deferred.doneUnsafe(closed, Exit.void))
      })
      const scan = yield* Effect.forkChild(scanner.scan(large))
      yield* Deferred.await(heard)
      yield* Fiber.interrupt(scan)
      yield* Deferred.await(closed)
    })
  )

  it.effect("A scanner without a server is unreachable", () =>
    Effect.gen(function* () {
      const port = yield* Effect.scoped(rawServer(() => {}))
      for (const address of [{ host: "127.0.0.1", port }, { path: "/nonexistent/clamd" }]) {
        const scanner = yield* scannerAt(address)
        assert.strictEqual(yield* reason(scanner.scan(bytes)), "unreachable")
        assert.strictEqual(yield* reason(scanner.definitions), "unreachable")
      }
    })
  )

  it.effect("A broken connection leads to a question about the size, and not to a second send", () =>
    Effect.gen(function* () {
      const breaking = (reply: string) =>
        scripted((socket, connection) => {
          if (connection === 1) return socket.once("data", () => socket.resetAndDestroy())
          return socket.once("data", (data: Buffer) => {
            const asked = data.toString("latin1")
            socket.end(asked === "zINSTREAM\0\x02\0\0\0" ? reply : `${asked.length} bytes`)
          })
        })
      const tooLarge = yield* breaking("INSTREAM size limit exceeded. ERROR\0")
      assert.strictEqual(yield* reason(tooLarge.scan(large)), "size_limit")
      for (const reply of ["", "stream: OK\0", "stream: Eicar FOUND\0"]) {
        const broken = yield* breaking(reply)
        assert.strictEqual(yield* reason(broken.scan(large)), "unreachable", reply)
      }
    })
  )
})
