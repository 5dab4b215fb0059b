import { randomBytes } from "node:crypto"
import { deflateRawSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { configure } from "@zip.js/zip.js/lib/zip-core-external.js"
import { Effect } from "effect"
import { openImportFile } from "../../../src/publishing/imports/openImportFile.ts"
import { type MadeEntry, zipOf } from "../archives/makeZip.ts"

configure({ useWebWorkers: false, useCompressionStream: true })

const MEBIBYTE = 1024 * 1024

const open = (bytes: Uint8Array, fileName = "export.zip") =>
  openImportFile(fileName, {
    size: bytes.length,
    read: (offset, length) => Promise.resolve(bytes.slice(offset, offset + length))
  })

/** Opens an archive and reads all of its entries. Returns the code of the failure, or the names of the entries. */
const codeOf = (entries: ReadonlyArray<MadeEntry>, maxBytes = 100 * MEBIBYTE) =>
  open(zipOf(entries)).pipe(
    Effect.flatMap((file) =>
      Effect.as(
        Effect.forEach(file.entries, ({ name }) => file.bytes(name, maxBytes)),
        file.entries.map(({ name }) => name).join()
      )
    ),
    Effect.catchTag("ImportFailure", ({ code }) => Effect.succeed(code))
  )

const SYMLINK = (0o120777 << 16) >>> 0

const zeros = new Uint8Array(30 * MEBIBYTE)

describe("files of imports", () => {
  it.effect("A file that is no archive is its only entry", () =>
    Effect.gen(function* () {
      const bytes = new TextEncoder().encode("# A post")
      const file = yield* open(bytes, "a.md")
      assert.isFalse(file.isArchive)
      assert.deepStrictEqual(file.entries, [{ name: "a.md", size: 8 }])
      assert.deepStrictEqual(yield* file.bytes("a.md", 100), bytes)
      assert.strictEqual((yield* Effect.flip(file.bytes("a.md", 7))).code, "too_large")
      assert.strictEqual((yield* Effect.flip(file.bytes("b.md", 7))).code, "damaged")
    })
  )

  it.effect("Entries keep their paths, and what systems and tools leave is ignored", () =>
    Effect.gen(function* () {
      const names = [
        "posts/a.md",
        "__MACOSX/posts/._a.md",
        ".git/config",
        "a/.DS_Store",
        "node_modules/x/readme.md"
      ]
      assert.strictEqual(
        yield* codeOf(names.map((name) => ({ name, content: "a", flags: 0x800 }))),
        "posts/a.md"
      )
      assert.strictEqual(yield* codeOf([{ name: "u\u0308ber.md", content: "a", flags: 0x800 }]), "über.md")
    })
  )

  it.effect("Names that lead elsewhere, links and names that are the same on some systems are not safe", () =>
    Effect.gen(function* () {
      for (const name of [
        "../a",
        "/a",
        "c:/a",
        "a\\b",
        "a/../b",
        "a//b",
        "./a",
        "a\u0000b",
        "a/".repeat(33) + "b",
        "a".repeat(256)
      ])
        assert.strictEqual(
          yield* codeOf([{ name, content: "a", flags: 0x800 }]),
          "unsafe_archive",
          name.slice(0, 20)
        )
      assert.strictEqual(
        yield* codeOf([{ name: "a", content: "/etc/passwd", attributes: SYMLINK }]),
        "unsafe_archive"
      )
      for (const [one, other] of [
        ["a.md", "A.md"],
        ["über", "u\u0308ber"]
      ] as const)
        assert.strictEqual(
          yield* codeOf([one, other].map((name) => ({ name, content: "a", flags: 0x800 }))),
          "unsafe_archive"
        )
    })
  )

  it.effect("Encryption, other methods, bombs and sizes that are not true have codes of their own", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* codeOf([{ name: "a", content: "a", flags: 1 }]), "encrypted")
      assert.strictEqual(yield* codeOf([{ name: "a", content: "a", method: 12 }]), "unsafe_archive")
      assert.strictEqual(yield* codeOf([{ name: "a", content: zeros, method: 8 }]), "unsafe_archive")
      const lying = { name: "a", method: 8, packed: deflateRawSync(zeros), unpacked: 100 }
      assert.include(["unsafe_archive", "damaged"], yield* codeOf([lying]))
      assert.include(
        ["unsafe_archive", "damaged"],
        yield* codeOf([{ name: "a", content: "abc", unpacked: 2 }])
      )
      assert.strictEqual(yield* codeOf([{ name: "a", content: "abc", crc: 1 }]), "damaged")
      assert.strictEqual(yield* codeOf([{ name: "a", content: "abc" }], 2), "too_large")
    })
  )

  it.effect("An archive that is cut anywhere, or empty, never opens", () =>
    Effect.gen(function* () {
      const whole = zipOf([
        { name: "a.md", content: "words" },
        { name: "b.md", content: "more words" }
      ])
      for (let length = 4; length < whole.length; length += 3) {
        const failure = yield* Effect.flip(open(whole.slice(0, length)))
        assert.strictEqual(failure.code, "damaged", String(length))
      }
      assert.strictEqual((yield* Effect.flip(open(zipOf([])))).code, "empty")
    })
  )

  it.effect("The beginning of an entry is inflated alone", () =>
    Effect.gen(function* () {
      const text = new TextEncoder().encode("first words, and more")
      // The end is damaged, so an entry that is inflated as a whole fails.
      const file = yield* open(
        zipOf([
          { name: "long.xml", content: new Uint8Array(randomBytes(MEBIBYTE)), method: 8, crc: 1 },
          { name: "short.xml", content: text, method: 8 },
          { name: "empty.xml", content: "" }
        ])
      )
      assert.strictEqual((yield* Effect.flip(file.bytes("long.xml", 2 * MEBIBYTE))).code, "damaged")
      assert.lengthOf(yield* file.head("long.xml", 65_536), 65_536)
      assert.deepStrictEqual(yield* file.head("short.xml", 65_536), text)
      assert.deepStrictEqual(yield* file.head("short.xml", 5), text.subarray(0, 5))
      assert.lengthOf(yield* file.head("empty.xml", 5), 0)
      assert.strictEqual((yield* Effect.flip(file.head("other.xml", 5))).code, "damaged")
      const plain = yield* open(text, "a.xml")
      assert.deepStrictEqual(yield* plain.head("a.xml", 5), text.subarray(0, 5))
    })
  )

  it.effect("An archive of too many entries is refused by its number", () =>
    Effect.gen(function* () {
      const entries = Array.from({ length: 50_001 }, (_, n) => ({ name: `${n}`, content: "" }))
      assert.strictEqual(yield* codeOf(entries), "too_many")
    })
  )
})
