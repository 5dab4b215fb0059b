import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ArchiveZip from "../../../layers/archives/ArchiveZip.ts"
import { Archive } from "../../../src/mcp/local/ports/Archive.ts"
import { accepted, file, named, refused } from "../../publishing/archives/archiveCorpus.ts"
import { type MadeEntry, zipOf } from "../../publishing/archives/makeZip.ts"
import { temporaryDirectory } from "../../support/directories.ts"

/** Archives of the corpus whose entries have no data of the sizes that they declare. */
const WITHOUT_DATA = new Set(["100 MiB unpacked", "20 MiB at any ratio", "250 : 1 beyond 20 MiB"])

const made = Effect.gen(function* () {
  const root = yield* temporaryDirectory
  const inner = join(root, "extracted")
  mkdirSync(inner)
  const path = join(root, "archive.zip")
  const { extract } = yield* Archive
  return {
    root,
    inner,
    extract: (bytes: Uint8Array, name = "one") => {
      writeFileSync(path, bytes)
      return extract(path, join(inner, name))
    }
  }
}).pipe(Effect.provide(ArchiveZip.layer))

const deflated = (lies: Partial<MadeEntry>) =>
  zipOf([file, { name: "b", content: "x".repeat(5_000), method: 8, ...lies }])

describe("extraction of an archive", () => {
  it.effect("The files of every ordinary archive get a directory of their own", () =>
    Effect.gen(function* () {
      const { extract, inner, root } = yield* made
      let count = 0
      for (const [what, bytes] of Object.entries(accepted)) {
        if (WITHOUT_DATA.has(what)) continue
        const name = `archive-${count++}`
        const { directories, directory, files, paths, totalBytes } = yield* extract(bytes, name)
        const all = readdirSync(directory, { recursive: true, withFileTypes: true })
        const found = all.filter((it) => it.isFile())
        assert.lengthOf(found, files, what)
        assert.lengthOf(all, files + directories, what)
        assert.strictEqual(
          found.reduce((sum, it) => sum + lstatSync(join(it.parentPath, it.name)).size, 0),
          totalBytes
        )
        for (const path of paths) assert.isTrue(existsSync(join(directory, path)), `${what}: ${path}`)
        for (const it of all) {
          const mode = lstatSync(join(it.parentPath, it.name)).mode & 0o7777
          assert.strictEqual(mode, it.isFile() ? 0o600 : 0o700, what)
        }
      }
      assert.lengthOf(readdirSync(inner), count)
      assert.sameMembers(readdirSync(root), ["archive.zip", "extracted"])
    })
  )

  it.effect("Every hostile archive is refused with its reason, and leaves nothing", () =>
    Effect.gen(function* () {
      const { extract, inner, root } = yield* made
      const before = process.memoryUsage().rss
      const isRefused = Effect.fnUntraced(function* (bytes: Uint8Array, code: string, what: string) {
        const failure = yield* Effect.flip(extract(bytes))
        assert.strictEqual(failure.code, "archive-refused", what)
        assert.deepStrictEqual(
          failure.fields.map((it) => it.code),
          [code],
          what
        )
      })
      for (const [code, archives] of Object.entries(refused)) {
        for (const [what, bytes] of Object.entries(archives)) yield* isRefused(bytes, code, what)
      }
      yield* isRefused(named(Uint8Array.of(0x61, 0xff)), "unsafe_name", "a name that is not UTF-8")
      // These have a directory without a fault, and other data than it says.
      for (const [what, lies] of Object.entries({
        "a wrong checksum": { crc: 1 },
        "fewer bytes than declared": { unpacked: 6_000 },
        "more bytes than declared": { unpacked: 4_000 },
        "data that does not inflate": { packed: new Uint8Array(40).fill(0xff), unpacked: 5_000 }
      })) {
        yield* isRefused(deflated(lies), "damaged", what)
      }
      assert.isBelow(process.memoryUsage().rss - before, 200 * 1024 * 1024)
      assert.deepStrictEqual(readdirSync(inner), [])
      assert.sameMembers(readdirSync(root), ["archive.zip", "extracted"])
    })
  )

  it.effect("An extracted directory stays as it is", () =>
    Effect.gen(function* () {
      const { extract, inner } = yield* made
      const bytes = zipOf([file])
      const { directory } = yield* extract(bytes)
      writeFileSync(join(directory, "a.txt"), "changed by its owner")
      assert.strictEqual((yield* extract(bytes)).files, 1)
      assert.strictEqual(readFileSync(join(directory, "a.txt"), "utf8"), "changed by its owner")
      assert.deepStrictEqual(readdirSync(inner), ["one"])
    })
  )

  it.effect("An extraction of 100 MiB takes at most 200 MB of memory", () =>
    Effect.gen(function* () {
      const { extract } = yield* made
      const content = new Uint8Array(24 * 1024 * 1024)
      for (let i = 0; i < content.length; i += 512) content[i] = i >> 9
      const bytes = zipOf(Array.from({ length: 4 }, (_, index) => ({ name: `${index}`, content, method: 8 })))
      const before = process.memoryUsage().rss
      const { totalBytes } = yield* extract(bytes)
      assert.strictEqual(totalBytes, 4 * content.length)
      assert.isBelow(process.memoryUsage().rss - before, 200 * 1024 * 1024)
    })
  )
})
