import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { linkSync, lstatSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as LocalFilesNode from "../../../layers/local/LocalFilesNode.ts"
import type { FileFormat } from "../../../schemas/publishing/uploads/limits.ts"
import { LocalFiles } from "../../../src/mcp/local/ports/LocalFiles.ts"
import { temporaryDirectory } from "../../support/directories.ts"

const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1)
const sha256Of = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")

const IMAGES: ReadonlyArray<FileFormat> = ["png", "jpeg", "webp", "gif"]

const made = Effect.gen(function* () {
  const root = yield* temporaryDirectory
  const [allowed, downloads] = [join(root, "files"), join(root, "downloads")]
  mkdirSync(allowed)
  mkdirSync(downloads)
  const files = yield* Effect.provide(LocalFiles, LocalFilesNode.layer({ roots: [allowed], downloads }))
  const read = (path: string, formats = IMAGES) => files.read(path, { formats, bytesMax: 100 })
  return { root, allowed, downloads, files, read }
})

describe("files of this machine", () => {
  it.effect("Files are read inside of the allowed directories, by their content", () =>
    Effect.gen(function* () {
      const { allowed, read } = yield* made
      const path = join(allowed, "holiday.zip")
      writeFileSync(path, PNG)
      const file = yield* read(path)
      assert.deepStrictEqual([file.format, file.fileName, file.sha256], ["png", "holiday.zip", sha256Of(PNG)])
      // A relative path begins in the first of the directories, wherever the process runs.
      assert.strictEqual((yield* read("holiday.zip")).sha256, sha256Of(PNG))
      for (const [format, text] of [
        ["jpeg", "\xff\xd8\xff\xe0"],
        ["webp", "RIFF....WEBPVP8 "],
        ["gif", "GIF89a"],
        ["zip", "PK\x03\x04"]
      ] as const) {
        writeFileSync(path, text, "latin1")
        assert.strictEqual((yield* read(path, [...IMAGES, "zip"])).format, format)
      }
    })
  )

  it.effect("Files elsewhere, through links, of another kind or beyond the limit are not read", () =>
    Effect.gen(function* () {
      const { allowed, read, root } = yield* made
      const outside = join(root, "secret.png")
      writeFileSync(outside, PNG)
      symlinkSync(outside, join(allowed, "link.png"))
      symlinkSync(root, join(allowed, "parent"))
      mkdirSync(join(root, "files-of-another"))
      writeFileSync(join(root, "files-of-another", "a.png"), PNG)
      writeFileSync(join(allowed, "large.png"), new Uint8Array(101).fill(0x89))
      writeFileSync(join(allowed, "page.png"), "<svg/>")
      writeFileSync(join(allowed, "archive.png"), "PK\x03\x04")
      writeFileSync(join(allowed, "empty.png"), "")
      execFileSync("mkfifo", [join(allowed, "pipe.png")])
      mkdirSync(join(allowed, "album"))
      symlinkSync(join(root, "no-such-secret"), join(allowed, "dangling.png"))
      for (const [path, reason] of [
        [outside, "outside"],
        [join(allowed, "..", "secret.png"), "outside"],
        ["../secret.png", "outside"],
        // The answer says nothing about files elsewhere, not even that they are absent.
        [join(root, "no-such-secret"), "outside"],
        [join(allowed, "parent", "secret.png"), "outside"],
        [join(allowed, "parent", "no-such-secret.png"), "outside"],
        [join(root, "files-of-another", "a.png"), "outside"],
        ["/dev/zero", "outside"],
        ["/proc/self/environ", "outside"],
        [join(allowed, "link.png"), "not-a-file"],
        [join(allowed, "dangling.png"), "not-a-file"],
        [join(allowed, "pipe.png"), "not-a-file"],
        ["album", "not-a-file"],
        [allowed, "not-a-file"],
        ["", "not-a-file"],
        [".", "not-a-file"],
        [join(allowed, "large.png"), "too-large"],
        [join(allowed, "page.png"), "kind"],
        [join(allowed, "archive.png"), "kind"],
        [join(allowed, "empty.png"), "kind"],
        [join(allowed, "absent.png"), "absent"],
        ["absent.png", "absent"],
        ["album/absent.png", "absent"],
        ["large.png/absent.png", "absent"],
        ["a\0.png", "absent"],
        ["a".repeat(5_000), "absent"]
      ] as const) {
        const failure = yield* Effect.flip(read(path))
        assert.strictEqual(failure.code, "file-not-allowed", path)
        const [field = assert.fail("no reason")] = failure.fields
        assert.deepStrictEqual([field.field, field.code], ["path", reason], path)
        if (reason === "outside") assert.include(field.message, allowed)
        assert.notInclude(JSON.stringify(failure), "secret")
      }
      const file = yield* read("album/../in.png").pipe(Effect.flip)
      assert.strictEqual(file.fields[0]?.code, "absent")
    })
  )

  it.effect("Files are saved whole, with the expected bytes, or not at all", () =>
    Effect.gen(function* () {
      const { downloads, files } = yield* made
      const save = (text: string, sha256: string, bytesMax = 100) =>
        files.save("one.zip", Stream.make(new TextEncoder().encode(text), new Uint8Array(0)), {
          bytesMax,
          sha256
        })
      const sha256 = sha256Of(new TextEncoder().encode("content"))
      for (const [text, bytesMax] of [
        ["other", 100],
        ["content", 6]
      ] as const) {
        assert.strictEqual((yield* Effect.flip(save(text, sha256, bytesMax))).code, "response-invalid")
        assert.deepStrictEqual(readdirSync(downloads), [])
      }
      const broken = files.save("one.zip", Stream.fail("broken off" as const), { bytesMax: 9, sha256 })
      assert.strictEqual(yield* Effect.flip(broken), "broken off")
      assert.isUndefined(yield* files.saved("one.zip", sha256))

      const saved = yield* save("content", sha256)
      assert.deepStrictEqual(saved, { path: join(downloads, "one.zip"), byteSize: 7, sha256 })
      assert.strictEqual(lstatSync(saved.path).mode & 0o777, 0o600)
      assert.deepStrictEqual(yield* files.saved("one.zip", sha256), saved)
      assert.isUndefined(yield* files.saved("one.zip", sha256Of(PNG)))
      assert.deepStrictEqual(readdirSync(downloads), ["one.zip"])
    })
  )

  it.effect("A saved file takes the place of a link, and never writes through one", () =>
    Effect.gen(function* () {
      const { downloads, files, root } = yield* made
      const target = join(root, "target")
      writeFileSync(target, "untouched")
      linkSync(target, join(root, "other"))
      symlinkSync(target, join(downloads, "one.zip"))
      const bytes = new TextEncoder().encode("content")
      assert.isUndefined(yield* files.saved("one.zip", sha256Of(new TextEncoder().encode("untouched"))))
      yield* files.save("one.zip", Stream.make(bytes), { bytesMax: 9, sha256: sha256Of(bytes) })
      assert.isTrue(lstatSync(join(downloads, "one.zip")).isFile())
      assert.strictEqual(lstatSync(target).size, "untouched".length)
    })
  )

  it.effect("A download whose process died leaves no part, and parts of others stay", () =>
    Effect.gen(function* () {
      const { downloads, files } = yield* made
      const partOf = (name: string, n: number) => `${name}.00000000-0000-4000-8000-00000000000${n}.part`
      const [abandoned, present, notOurs] = [partOf("one.zip", 1), partOf("two.zip", 2), "notes.part"]
      for (const [name, seconds] of [
        [abandoned, 999],
        [present, 1_001],
        [notOurs, 0]
      ] as const) {
        writeFileSync(join(downloads, name), "part")
        utimesSync(join(downloads, name), seconds, seconds)
      }
      yield* TestClock.setTime((1_000 + 600) * 1_000)
      yield* files.save("one.zip", Stream.make(PNG), { bytesMax: 9, sha256: sha256Of(PNG) })
      assert.sameMembers(readdirSync(downloads), ["one.zip", present, notOurs])
    })
  )
})
