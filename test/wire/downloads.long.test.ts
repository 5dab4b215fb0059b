import { createHash } from "node:crypto"
import { globSync, readFileSync, readlinkSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { observedS3Server } from "../layers/storage/s3/s3Server.ts"
import { paidPost } from "../payments/access/paidPost.ts"
import { zipOf } from "../publishing/archives/makeZip.ts"
import { uploaderOf } from "../support/actors/uploader.ts"
import { freshDatabase } from "../support/Database.ts"
import { temporaryDirectory } from "../support/directories.ts"
import { eventually } from "../support/eventually.ts"
import { servedOver } from "../support/servedOver.ts"
import { TestClient } from "../support/TestClient.ts"

const MEBIBYTE = 1024 * 1024
/** Far more than the sockets of both sides hold. */
const FILE_BYTES = 24 * MEBIBYTE
/** Their files have 960 MiB together. A process without back-pressure would hold all of it. */
const READERS = 40

const request = (url: string, options: RequestInit) => fetch(url, options)

/** Starts the service with a store, and publishes a Post with a large file, as its author reads it. */
const offering = Effect.fnUntraced(function* (name: string, store: Readonly<Record<string, string>>) {
  const url = yield* freshDatabase(name)
  const directory = yield* temporaryDirectory
  const { client, origin, pid } = yield* servedOver(url, directory, store)
  const author = yield* Effect.provideService(uploaderOf(1), TestClient, client)
  const content = Buffer.alloc(FILE_BYTES, "all the words of a long book, one after the other\n")
  const zip = Buffer.from(zipOf([{ name: "large.bin", content }]))
  const draft = yield* author.draft(paidPost)
  const part = { name: "file", fileName: "a.zip", mediaType: "application/zip", content: zip }
  const sent = yield* author.attach(draft, { parts: [part] })
  assert.strictEqual(sent.status, 202, sent.text)
  yield* eventually(
    "it is cleared",
    Effect.map(author.status(sent), ({ body }) => body.attachment?.state === "ready")
  )
  yield* author.publish(draft.id)
  return {
    zip,
    url: `${origin}/api/posts/${draft.id}/attachments/${sent.body.attachment.id}`,
    port: Number(new URL(origin).port),
    authorization: `Bearer ${author.accessToken}`,
    /** Bytes of memory that the process has. */
    memory: Effect.sync(
      () => Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]) * 1024
    ),
    /** Files of buyers that the process has open. */
    opened: Effect.sync(() => {
      const links = globSync(`/proc/${pid}/fd/*`).map((fd) => {
        try {
          return readlinkSync(fd)
        } catch {
          return ""
        }
      })
      return links.filter((link) => link.includes("/attachments") && link.endsWith(".zip")).length
    })
  }
})
type Offering = Effect.Success<ReturnType<typeof offering>>

/** A reader who asks for the file, takes its first bytes and then no more. Gone with the scope. */
const slowReader = ({ authorization, port, url }: Offering) =>
  Effect.acquireRelease(
    Effect.callback<Socket>((resume) => {
      const socket = connect({ port, host: "127.0.0.1" })
      socket.on("error", () => {})
      socket.once("data", () => {
        socket.pause()
        resume(Effect.succeed(socket))
      })
      const { pathname } = new URL(url)
      socket.write(`GET ${pathname} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n\r\n`)
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

/** Checks that slow readers cost little memory, and that readers who leave cost nothing any more. */
const checkReaders = Effect.fnUntraced(function* (offer: Offering) {
  const { authorization, url, zip } = offer
  const get = (headers: Readonly<Record<string, string>> = {}, method = "GET") =>
    Effect.promise(() =>
      request(url, { method, headers: { authorization, connection: "close", ...headers } })
    )
  const whole = yield* get()
  const bytes = Buffer.from(yield* Effect.promise(() => whole.arrayBuffer()))
  assert.isTrue(bytes.equals(zip))
  const digest = createHash("sha256").update(zip).digest("base64")
  assert.strictEqual(whole.headers.get("repr-digest"), `sha-256=:${digest}:`)
  const last = yield* get({ range: "bytes=-5" })
  assert.strictEqual(last.status, 206)
  assert.isTrue(Buffer.from(yield* Effect.promise(() => last.arrayBuffer())).equals(zip.subarray(-5)))
  const head = yield* get({}, "HEAD")
  assert.deepStrictEqual([head.status, head.headers.get("content-length")], [200, String(zip.length)])
  assert.strictEqual((yield* get({ range: `bytes=${zip.length}-` })).status, 416)

  const before = yield* offer.memory
  yield* Effect.scoped(
    Effect.gen(function* () {
      yield* Effect.all(
        Array.from({ length: READERS }, () => slowReader(offer)),
        { concurrency: "unbounded" }
      )
      yield* Effect.sleep("500 millis")
      assert.isBelow((yield* offer.memory) - before, 60 * MEBIBYTE)
    })
  )
})

const ends = (what: string, count: Effect.Effect<number>) =>
  eventually(
    `the last ${what} ends`,
    Effect.map(count, (it) => it === 0)
  )

describe("downloads over real sockets (6.3)", () => {
  it.live("Slow readers of files hold little, and a reader who leaves holds nothing", () =>
    Effect.gen(function* () {
      const offer = yield* offering("test_wire_downloads", {})
      yield* checkReaders(offer)
      yield* ends("open file", offer.opened)
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* slowReader(offer)
          assert.strictEqual(yield* offer.opened, 1)
        })
      )
      yield* ends("open file", offer.opened)
    })
  )

  it.live("Slow readers from S3 hold little, and a reader who leaves ends the transfer", () =>
    Effect.gen(function* () {
      const { answering, url } = yield* observedS3Server
      const offer = yield* offering("test_wire_downloads_s3", { S3_URL: url })
      yield* checkReaders(offer)
      yield* ends("transfer", answering)
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* slowReader(offer)
          assert.strictEqual(yield* answering, 1)
        })
      )
      yield* ends("transfer", answering)
    })
  )
})
