import { copyFileSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Console, Effect } from "effect"
import { s3Proxy, type Fault } from "../layers/storage/s3/s3Proxy.ts"
import { pngChunk } from "../publishing/image-formats/png/makePng.ts"
import { bytesOf } from "../publishing/image-formats/shared/makeBytes.ts"
import { temporaryDirectory } from "../support/directories.ts"
import { ownClamd } from "./clamd.ts"
import { faultProxy } from "./faultProxy.ts"
import {
  objectsIn,
  pngOfPixels,
  publicDigest,
  sampleImage,
  type SampleImage,
  sha256Of
} from "./uploadClient.ts"
import { servedTo, smallDisk } from "./uploadService.ts"

const {
  SERVICES_CLAMD_SETTINGS: clamdSettings,
  SERVICES_CLAMD_UNIX: clamd,
  SERVICES_S3_URL: s3
} = process.env

describe("uploads while the scanner fails", () => {
  it("A scanner is configured for these tests", () =>
    assert.isDefined(clamd, "SERVICES_CLAMD_UNIX is missing: .ci/run sets it"))

  it.live("Uploads wait in public with the reason, and are decided when the scanner is back", () =>
    Effect.gen(function* () {
      const whole = yield* ownClamd(clamdSettings ?? "")
      const scratch = yield* temporaryDirectory
      const narrowSettings = join(scratch, "narrow")
      copyFileSync(clamdSettings ?? "", narrowSettings)
      const text = readFileSync(narrowSettings, "utf8")
      writeFileSync(narrowSettings, text.replace(/^StreamMaxLength .*$/mu, "StreamMaxLength 1K"))
      const narrow = yield* ownClamd(narrowSettings)
      const proxy = yield* faultProxy
      const service = yield* servedTo("services_upload_scanner", {
        CLAMD_URL: `tcp://127.0.0.1:${proxy.port}`
      })
      const works = proxy.set({ to: { path: whole.path } })

      const faults = [
        ["absent", proxy.set("cut"), works],
        ["saying garbage", proxy.set({ answer: "HTTP/1.1 200 OK\r\n\r\nstream: OK\0" }), works],
        ["saying what clean is, too early", proxy.set({ answer: "stream: OK\0" }), works],
        ["of too small a StreamMaxLength", proxy.set({ to: { path: narrow.path } }), works],
        ["stopped", Effect.andThen(works, whole.hang), whole.resume],
        ["slower than is waited for", proxy.set({ to: { path: whole.path }, lateMillis: 6_000 }), works]
      ] as const
      let number = 0
      for (const [name, begin, end] of faults) {
        // All is well between two faults, so that the circuit closes.
        const began = performance.now()
        yield* begin
        const clean = yield* sampleImage(20 * number + 2)
        const bad = yield* sampleImage(20 * number++ + 3)
        const waiting = [yield* service.received(clean), yield* service.received(bad)] as const
        for (const answer of waiting) {
          const { publicUrl, safety } = yield* service.waitsFor(answer, "unavailable scanner")
          assert.isFalse(safety.eligible)
          assert.notStrictEqual(yield* publicDigest(service.origin, publicUrl), "404", name)
        }
        yield* end
        const cleared = yield* service.ends(waiting[0], "cleared")
        assert.strictEqual(yield* publicDigest(service.origin, cleared.publicUrl), clean.publicSha256)
        assert.isTrue(cleared.safety.eligible)
        assert.isNull(cleared.safety.lastError)
        assert.isNull((yield* service.ends(waiting[1], "rejected")).publicUrl)
        yield* Console.log(`scanner ${name}: ${((performance.now() - began) / 1000).toFixed(1)} s`)
      }
      yield* service.settled
      assert.lengthOf(objectsIn(service.directory), faults.length)
    }).pipe(Effect.scoped)
  )
})

// The gate starts an object store when the storage has changed, and the soak always.
describe.skipIf(s3 === undefined)("uploads while the object store fails", () => {
  it.live("Uploads lose nothing that was received, and the rest can be sent again", () =>
    Effect.gen(function* () {
      const proxy = yield* s3Proxy(`${s3}&prefix=services-faults-${process.pid}`)
      const service = yield* servedTo("services_upload_s3", { S3_URL: proxy.url })
      const faultOf = (fault: Fault, inUrl: string, ...methods: ReadonlyArray<string>) =>
        Effect.sync(() => {
          proxy.faults.next = (method, url) =>
            methods.includes(method) && url.includes(inUrl) ? fault : undefined
        })
      const works = Effect.sync(() => {
        proxy.faults.next = () => undefined
      })
      const failures: ReadonlyArray<Fault> = [
        { status: 500, code: "InternalError" },
        { status: 503, code: "SlowDown" },
        { cutRequest: 100 },
        "lost"
      ]
      let number = 0
      for (const fault of failures) {
        const name = JSON.stringify(fault)
        const began = performance.now()
        // Nothing can be staged.
        yield* faultOf(fault, "/staging/", "PUT", "DELETE")
        const unstaged = yield* sampleImage(20 * number++ + 1)
        const key = `unstaged-${number}`
        const refused = yield* service.send(unstaged, key)
        yield* works
        const again = yield* service.sendsAgain(unstaged, key, refused)
        // The file is staged and cannot be made public.
        yield* faultOf(fault, "/media/", "PUT")
        const unpromoted = yield* service.received(yield* sampleImage(20 * number + 5))
        assert.isNull(unpromoted.body.publicUrl, name)
        assert.strictEqual(unpromoted.body.safety.lastError, "unavailable storage", name)
        yield* works
        const promoted = yield* service.ends(unpromoted, "cleared")
        const expected = (yield* sampleImage(20 * number + 5)).publicSha256
        assert.strictEqual(yield* publicDigest(service.origin, promoted.publicUrl), expected, name)
        const cleared = yield* service.ends(again, "cleared")
        assert.strictEqual(
          yield* publicDigest(service.origin, cleared.publicUrl),
          unstaged.publicSha256,
          name
        )
        yield* Console.log(`store ${name}: ${((performance.now() - began) / 1000).toFixed(1)} s`)
      }
      // The received file cannot be read, and later not removed.
      yield* faultOf({ cutAnswer: 10 }, "/staging/", "GET")
      const unread = yield* service.received(yield* sampleImage(3))
      yield* service.waitsFor(unread, "unavailable storage")
      yield* faultOf({ status: 503, code: "SlowDown" }, "", "DELETE")
      assert.isNull((yield* service.ends(unread, "rejected")).publicUrl)
      assert.strictEqual(yield* publicDigest(service.origin, unread.body.publicUrl), "404")
      yield* works
      yield* service.settled
    }).pipe(Effect.scoped)
  )
})

/** Returns the PNG with a comment behind its header, which no public copy has. */
const commented = (png: Uint8Array) =>
  bytesOf(png.subarray(0, 33), pngChunk("tEXt", bytesOf("Comment\0x")), png.subarray(33))

describe("uploads while the disk is full", () => {
  it.live("Uploads are uncertain or wait, and go on when there is room", () =>
    Effect.gen(function* () {
      const disk = yield* smallDisk(16 * 1024 * 1024)
      if (disk === undefined) return yield* Console.log("Left out: only root can mount a small file system")
      const service = yield* servedTo("services_upload_disk", {}, disk)
      const ballast = join(disk, "ballast")
      const leaving = (bytes: number) =>
        Effect.sync(() => {
          rmSync(ballast, { force: true })
          const { bavail, bsize } = statfsSync(disk)
          writeFileSync(ballast, Buffer.alloc(bavail * bsize - bytes))
        })
      const image = (seed: number): SampleImage => {
        const bytes = pngOfPixels(1_500_000, seed)
        return { mediaType: "image/png", bytes, deserves: "cleared", publicSha256: sha256Of(bytes) }
      }
      const roomy = Effect.sync(() => rmSync(ballast, { force: true }))

      yield* leaving(500_000)
      const [small, large] = [yield* sampleImage(1), image(1)]
      const unstaged = yield* service.send(large, "large")
      yield* leaving(0)
      const none = yield* service.send(small, "small")
      yield* roomy
      const again = [
        yield* service.sendsAgain(large, "large", unstaged),
        yield* service.sendsAgain(small, "small", none)
      ]
      for (const [index, sent] of [large, small].entries()) {
        const { publicUrl } = yield* service.ends(again[index]!, "cleared")
        assert.strictEqual(yield* publicDigest(service.origin, publicUrl), sent.publicSha256)
      }
      yield* service.settled

      // There is room for the sent file, and none for a copy that differs from it.
      yield* leaving(2_000_000)
      const unpromoted = yield* service.received({ ...image(2), bytes: commented(image(2).bytes) })
      assert.isNull(unpromoted.body.publicUrl)
      assert.strictEqual(unpromoted.body.safety.lastError, "unavailable storage")
      yield* roomy
      const { publicUrl } = yield* service.ends(unpromoted, "cleared")
      assert.strictEqual(yield* publicDigest(service.origin, publicUrl), image(2).publicSha256)
      yield* service.settled
      // Large images have smaller copies, too.
      assert.lengthOf(
        objectsIn(disk).filter((name) => !/-(320|640|1280)\.webp/.test(name)),
        3
      )
    }).pipe(Effect.scoped)
  )
})
