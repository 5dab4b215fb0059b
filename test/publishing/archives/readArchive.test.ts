import { assert, describe, it } from "@effect/vitest"
import { configure, TextReader, Uint8ArrayWriter, ZipWriter } from "@zip.js/zip.js/lib/zip-core-external.js"
import { Effect } from "effect"
import { beginsLikeArchive } from "../../../src/publishing/archives/readArchive.ts"
import { accepted, file, named, refused } from "./archiveCorpus.ts"
import { zipOf } from "./makeZip.ts"
import { codeOf } from "./results.ts"

describe("an archive at its admission (6.2)", () => {
  for (const [what, archive] of Object.entries(accepted))
    it.effect(`The admission accepts ${what}`, () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* codeOf(archive), "accepted")
      })
    )

  it.effect("Archives of a second writer are accepted, with and without zip64", () =>
    Effect.gen(function* () {
      configure({ useWebWorkers: false, useCompressionStream: true })
      for (const zip64 of [false, true]) {
        const archive = yield* Effect.promise(async () => {
          const writer = new ZipWriter(new Uint8ArrayWriter(), { zip64 })
          await writer.add("d/a.txt", new TextReader("hello".repeat(100)))
          await writer.add("d/é.txt", new TextReader(""))
          return await writer.close()
        })
        assert.strictEqual(yield* codeOf(archive), "accepted")
      }
    })
  )

  for (const [code, archives] of Object.entries(refused))
    for (const [what, archive] of Object.entries(archives))
      it.effect(`The admission refuses ${what}: ${code}`, () =>
        Effect.gen(function* () {
          assert.strictEqual(yield* codeOf(archive), code)
        })
      )

  it.effect("A name that is not UTF-8 although it says so is refused", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* codeOf(named(Uint8Array.of(0x61, 0xff))), "unsafe_name")
    })
  )

  it("An archive is recognized by as many first bytes as have arrived", () => {
    const [whole, first] = [zipOf([file]), Uint8Array.of(0x50)]
    assert.isTrue(beginsLikeArchive(whole) && beginsLikeArchive(first))
    assert.isFalse(
      beginsLikeArchive(new Uint8Array(0)) || beginsLikeArchive(new TextEncoder().encode("PK\u0005\u0006"))
    )
  })
})
