import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { parseClamdUrl } from "../../layers/scanner/clamdUrl.ts"
import * as ScannerClamd from "../../layers/scanner/ScannerClamd.ts"
import { INLINE_IMAGE_BYTES_MAX } from "../../schemas/publishing/uploads/limits.ts"
import { Scanner, type ScannerUnavailable } from "../../src/platform/ports/Scanner.ts"
import { publicCopyOf } from "../../src/publishing/image-formats/publicCopy.ts"
import { eicar, encryptedZip, marker, png } from "../layers/scanner/scannerBytes.ts"
import { zipOf } from "../publishing/archives/makeZip.ts"
import { ignoringImages } from "../publishing/image-formats/ignored.ts"
import { ownClamd } from "./clamd.ts"

const { SERVICES_CLAMD_SETTINGS: settings, SERVICES_CLAMD_TCP: tcp, SERVICES_CLAMD_UNIX: unix } = process.env

const MEBIBYTE = 1024 * 1024

const scannerOf = (options: ScannerClamd.Options) => Effect.provide(Scanner, ScannerClamd.layer(options))

const scannerAt = (url: string | undefined) =>
  scannerOf({ address: parseClamdUrl(url ?? "") ?? { path: "/missing" } })

const reason = <A, R>(effect: Effect.Effect<A, ScannerUnavailable, R>) =>
  Effect.map(Effect.flip(effect), (error) => error.reason)

/** Incompressible bytes of no known format. */
const noise = (length: number) => {
  const bytes = Buffer.alloc(length)
  let state = 1
  for (let index = 0; index < length; index++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    bytes[index] = state >>> 24
  }
  return bytes
}

describe("clamd", () => {
  it("A clamd is configured for these tests", () => {
    assert.isDefined(unix, "SERVICES_CLAMD_UNIX is missing: .ci/run sets it")
    assert.isDefined(tcp, "SERVICES_CLAMD_TCP is missing: .ci/run sets it")
    assert.isDefined(settings, "SERVICES_CLAMD_SETTINGS is missing: .ci/run sets it")
  })

  for (const [name, url] of [
    ["a socket in the file system", unix],
    ["TCP", tcp]
  ] as const) {
    describe(`over ${name}`, () => {
      it.live("A picture is clean, up to the largest upload", () =>
        Effect.gen(function* () {
          const scanner = yield* scannerAt(url)
          assert.deepStrictEqual(yield* scanner.scan(png()), { verdict: "clean" })
          const largest = png(noise(INLINE_IMAGE_BYTES_MAX - png().length))
          assert.strictEqual(largest.length, INLINE_IMAGE_BYTES_MAX)
          assert.deepStrictEqual(yield* scanner.scan(largest), { verdict: "clean" })
        })
      )

      it.live("The test string of EICAR is found, and so is a signature within a picture", () =>
        Effect.gen(function* () {
          const scanner = yield* scannerAt(url)
          assert.deepStrictEqual(yield* scanner.scan(eicar), {
            verdict: "malware",
            finding: "Eicar-Test-Signature.UNOFFICIAL"
          })
          assert.deepStrictEqual(yield* scanner.scan(png(marker)), {
            verdict: "malware",
            finding: "Pennypress.Test.Marker.UNOFFICIAL"
          })
        })
      )

      it.live("The test string of EICAR is found in a ZIP, and in a ZIP of a ZIP of a ZIP", () =>
        Effect.gen(function* () {
          const scanner = yield* scannerAt(url)
          const zip = zipOf([
            { name: "read me.txt", content: "words" },
            { name: "a.com", content: eicar, method: 8 }
          ])
          const deep = zipOf([{ name: "b.zip", content: zipOf([{ name: "a.zip", content: zip }]) }])
          for (const archive of [zip, deep]) {
            assert.deepStrictEqual(yield* scanner.scan(archive), {
              verdict: "malware",
              finding: "Eicar-Test-Signature.UNOFFICIAL"
            })
          }
          const largest = zipOf([{ name: "noise.bin", content: noise(24 * MEBIBYTE) }])
          assert.deepStrictEqual(yield* scanner.scan(largest), { verdict: "clean" })
        })
      )

      it.live("An encrypted or broken file is reported as not inspected", () =>
        Effect.gen(function* () {
          const scanner = yield* scannerAt(url)
          const encrypted = yield* scanner.scan(encryptedZip())
          assert.deepStrictEqual(encrypted, { verdict: "incomplete", finding: "Heuristics.Encrypted.Zip" })
          const { verdict } = yield* scanner.scan(png().subarray(0, 60))
          assert.strictEqual(verdict, "incomplete")
        })
      )

      it.live("An image with bytes that every decoder ignores is clean at least as its public copy", () =>
        Effect.gen(function* () {
          const scanner = yield* scannerAt(url)
          const verdicts = new Set<string>()
          for (const { bytes, format, name } of yield* Effect.promise(ignoringImages)) {
            verdicts.add((yield* scanner.scan(bytes)).verdict)
            const copy = yield* scanner.scan(publicCopyOf(bytes, { format }))
            assert.deepStrictEqual(copy, { verdict: "clean" }, `${format} with ${name}`)
          }
          assert.deepStrictEqual(verdicts, new Set(["clean", "incomplete"]))
        })
      )

      it.live("Each file that is larger than its StreamMaxLength is reported", () =>
        Effect.gen(function* () {
          const scanner = yield* scannerAt(url)
          const large = Buffer.alloc(27 * MEBIBYTE)
          const reasons = yield* Effect.forEach(Array.from({ length: 20 }), () => reason(scanner.scan(large)))
          assert.deepStrictEqual(new Set(reasons), new Set(["size_limit"]))
        })
      )

      it.live("The scanner reports no date for its own signatures", () =>
        Effect.gen(function* () {
          const scanner = yield* scannerAt(url)
          const { engine, publishedAt, version } = yield* scanner.definitions
          assert.match(engine, /^ClamAV \d+\.\d+\.\d+$/u)
          assert.deepStrictEqual([version, publishedAt], [null, null])
        })
      )

      it.live("The verdicts of concurrent scans are kept apart", () =>
        Effect.gen(function* () {
          const scanner = yield* scannerAt(url)
          const body = noise(200_000)
          const files = Array.from({ length: 200 }, (_, index) => ({
            bytes: png(index % 3 === 0 ? Buffer.concat([body, marker]) : body),
            expected: index % 3 === 0 ? "malware" : "clean"
          }))
          const verdicts = yield* Effect.forEach(files, ({ bytes }) => scanner.scan(bytes), {
            concurrency: 4
          })
          assert.deepStrictEqual(
            verdicts.map(({ verdict }) => verdict),
            files.map(({ expected }) => expected)
          )
        })
      )
    })
  }

  it.live("A scan is retried when clamd hangs, and unavailable when it was killed", () =>
    Effect.gen(function* () {
      const clamd = yield* ownClamd(settings ?? "")
      const scanner = yield* scannerOf({
        address: { path: clamd.path },
        definitionsPatience: "500 millis",
        scanPatience: "1 second"
      })
      assert.deepStrictEqual(yield* scanner.scan(png()), { verdict: "clean" })
      yield* clamd.hang
      assert.strictEqual(yield* reason(scanner.scan(png())), "timeout")
      assert.strictEqual(yield* reason(scanner.definitions), "timeout")
      yield* clamd.resume
      assert.deepStrictEqual(yield* scanner.scan(png()), { verdict: "clean" })
      assert.strictEqual((yield* scanner.scan(eicar)).verdict, "malware")
      yield* clamd.kill
      assert.strictEqual(yield* reason(scanner.scan(png())), "unreachable")
      assert.strictEqual(yield* reason(scanner.definitions), "unreachable")
    })
  )
})
