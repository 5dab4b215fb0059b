import { createHash } from "node:crypto"
import { mkdirSync, renameSync, rmSync, truncateSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as KnownMaterialFile from "../../../layers/known-material/KnownMaterialFile.ts"
import { DISTANCE_DEFAULT } from "../../../layers/known-material/knownMaterialList.ts"
import {
  KnownMaterial,
  KnownMaterialUnavailable,
  type Material
} from "../../../src/platform/ports/KnownMaterial.ts"
import { temporaryDirectory } from "../../support/directories.ts"

const sha = (digit: string) => digit.repeat(64)
const zeros = "0".repeat(16)

/** An unknown file, with pictures of these perceptual hashes. */
const pictures = (...hashes: ReadonlyArray<string>): Material => ({
  sha256: sha("e"),
  representations: hashes.map((perceptual) => ({ pixels: sha("d"), perceptual }))
})

const file = (sha256: string): Material => ({ ...pictures("f".repeat(16)), sha256 })

/** Returns 16 hex digits in which the first `count` bits are set. */
const bits = (count: number) =>
  BigInt(`0b${"1".repeat(count).padEnd(64, "0")}`)
    .toString(16)
    .padStart(16, "0")

/** Writes a list with these lines, and returns its path. */
const listOf = Effect.fnUntraced(function* (content: string | Uint8Array) {
  const path = join(yield* temporaryDirectory, "list")
  writeFileSync(path, content)
  const known = yield* KnownMaterial.pipe(
    Effect.provide(KnownMaterialFile.layer({ path }).pipe(Layer.provide(NodeServices.layer)))
  )
  return { path, match: known.match }
})

const matched = (content: string | Uint8Array, material: Material) =>
  Effect.flatMap(listOf(content), ({ match }) => Effect.map(match(material), (verdict) => verdict.match))

const replace = (path: string, content: string) => {
  writeFileSync(`${path}.new`, content)
  renameSync(`${path}.new`, path)
}

describe("a list of known material in a file", () => {
  it.effect("A file matches by its exact hash, in either case", () =>
    Effect.gen(function* () {
      const list = [`sha256:${sha("a")} first`, `sha256:${sha("A")} second`, `SHA256:${sha("B")}`].join("\n")
      assert.strictEqual(yield* matched(list, file(sha("a"))), "first")
      assert.strictEqual(yield* matched(list, file(sha("b"))), `sha256:${sha("B")}`)
      assert.isNull(yield* matched(list, file(sha("c"))))
    })
  )

  it.effect("Hashes that begin alike are distinguished", () =>
    Effect.gen(function* () {
      const hashes = Array.from({ length: 200 }, (_, index) => `${index}`.padStart(64, "0"))
      const { match } = yield* listOf(hashes.map((hash) => `sha256:${hash} ${Number(hash)}`).join("\n"))
      for (const hash of hashes) assert.strictEqual((yield* match(file(hash))).match, `${Number(hash)}`)
      assert.isNull((yield* match(file("200".padStart(64, "0")))).match)
    })
  )

  it.effect("A picture matches when it differs in at most the bits that its line allows", () =>
    Effect.gen(function* () {
      for (const allowed of [undefined, 0, 1, 3, 4, 7, 8, 10]) {
        const most = allowed ?? DISTANCE_DEFAULT
        const { match } = yield* listOf(
          `perceptual:${zeros}${allowed === undefined ? "" : `/${allowed}`} known`
        )
        assert.strictEqual((yield* match(pictures(bits(most)))).match, "known", `${most}`)
        assert.isNull((yield* match(pictures(bits(most + 1)))).match, `${most}`)
      }
    })
  )

  it.effect("The list finds the same entries as a comparison with each of them", () =>
    Effect.gen(function* () {
      let state = 1n
      const random = () =>
        (state = (state * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) % 2n ** 64n)
      const hex = (hash: bigint) => hash.toString(16).padStart(16, "0")
      const count = (hash: bigint) => hash.toString(2).replaceAll("0", "").length
      const entries = Array.from({ length: 200 }, (_, index) => ({ hash: random(), most: index % 11 }))
      const lines = entries.map(({ hash, most }, index) => `perceptual:${hex(hash)}/${most} ${index}`)
      const { match } = yield* listOf(lines.join("\n"))
      let found = 0
      for (let round = 0; round < 400; round++) {
        // One of the entries with up to twelve bits turned, anywhere.
        let near = entries[round % entries.length]?.hash ?? 0n
        for (let turned = round % 13; turned > 0; turned--) near ^= 1n << (random() >> 58n)
        const nearest = entries
          .map(({ hash, most }, index) => ({ index, most, distance: count(hash ^ near) }))
          .filter(({ distance, most }) => distance <= most)
          .toSorted((one, other) => one.distance - other.distance || one.index - other.index)[0]
        const verdict = yield* match(pictures(hex(near)))
        assert.strictEqual(verdict.match, nearest === undefined ? null : `${nearest.index}`)
        if (nearest !== undefined) found++
      }
      assert.isAbove(found, 80)
      assert.isBelow(found, 320)
    })
  )

  it.effect("The exact hash comes first, then the nearest picture", () =>
    Effect.gen(function* () {
      const lines = [`perceptual:${bits(3)} far`, `perceptual:${bits(8)} near`, `sha256:${sha("a")} same`]
      const { match } = yield* listOf(lines.join("\n"))
      const shown = pictures("f".repeat(16), bits(0), bits(9))
      assert.strictEqual((yield* match(shown)).match, "near")
      assert.strictEqual((yield* match({ ...shown, sha256: sha("a") })).match, "same")
    })
  )

  it.effect("The list may hold comments, blank lines, foreign line ends and names of any kind", () =>
    Effect.gen(function* () {
      const list = [
        "# known",
        "",
        " \t",
        "  # indented",
        `  sha256:${sha("a")}\tvoilà « 1 » # 2  `,
        `perceptual:${zeros}/0`,
        ""
      ].join("\r\n")
      const { match } = yield* listOf(list)
      assert.strictEqual((yield* match(file(sha("a")))).match, "voilà « 1 » # 2")
      assert.strictEqual((yield* match(pictures(zeros))).match, `perceptual:${zeros}`)
    })
  )

  it.effect("A malformed or empty list is unavailable, and names the place without repeating the text", () =>
    Effect.gen(function* () {
      const good = `sha256:${sha("a")} good\n`
      const bad = [
        "",
        "\n# nothing\n",
        `${good}sha256:${sha("a").slice(1)}\n`,
        `${good}sha256:${sha("a")}a\n`,
        `${good}sha256: ${sha("a")}\n`,
        `${good}md5:${"a".repeat(32)}\n`,
        `${good}perceptual:${zeros.slice(1)}\n`,
        `${good}perceptual:${zeros}/11\n`,
        `${good}perceptual:${zeros}/-1\n`,
        `${good}perceptual:${zeros}/\n`,
        `${good}perceptual:${zeros}/1x\n`,
        `${good}secret\n`,
        `${good}# ${"x".repeat(1023)}\n`,
        Buffer.alloc(5000, 0x61),
        `\u{feff}${good}`
      ]
      for (const content of bad) {
        const error = yield* Effect.flip(matched(content, file(sha("b"))))
        assert.instanceOf(error, KnownMaterialUnavailable, JSON.stringify(content))
        assert.notInclude(String(error.cause), "secret")
      }
      const error = yield* Effect.flip(matched(`${good}\nsecret\n`, file(sha("b"))))
      assert.include(String(error.cause), "line 3")
    })
  )

  it.effect("A missing list is unavailable, and used once it is a file", () =>
    Effect.gen(function* () {
      const { match, path } = yield* listOf(`sha256:${sha("a")} first\n`)
      rmSync(path)
      assert.instanceOf(yield* Effect.flip(match(file(sha("a")))), KnownMaterialUnavailable)
      mkdirSync(path)
      assert.instanceOf(yield* Effect.flip(match(file(sha("a")))), KnownMaterialUnavailable)
      rmSync(path, { recursive: true })
      writeFileSync(path, `sha256:${sha("b")} second\n`)
      assert.strictEqual((yield* match(file(sha("b")))).match, "second")
    })
  )

  it.effect("The list is read again when it changes, under another version", () =>
    Effect.gen(function* () {
      const first = `sha256:${sha("a")} first\n`
      const { match, path } = yield* listOf(first)
      const { version } = yield* match(file(sha("a")))
      assert.match(version ?? "", /^[0-9a-f]{16}$/u)

      replace(path, `sha256:${sha("b")} first\n`)
      const second = yield* match(file(sha("a")))
      assert.isNull(second.match)
      assert.notStrictEqual(second.version, version)
      assert.strictEqual((yield* match(file(sha("b")))).match, "first")

      replace(path, `${first}nonsense\n`)
      assert.instanceOf(yield* Effect.flip(match(file(sha("a")))), KnownMaterialUnavailable)

      replace(path, first)
      assert.deepStrictEqual(yield* match(file(sha("a"))), { version, match: "first" })

      writeFileSync(path, `sha256:${sha("c")} first\n`)
      utimesSync(path, 1, 1)
      assert.strictEqual((yield* match(file(sha("c")))).match, "first")

      truncateSync(path, 0)
      assert.instanceOf(yield* Effect.flip(match(file(sha("c")))), KnownMaterialUnavailable)
    })
  )

  it.effect("Concurrent requests during a read are answered from one edition", () =>
    Effect.gen(function* () {
      const hashes = Array.from({ length: 20_000 }, (_, index) =>
        createHash("sha256").update(`${index}`).digest("hex")
      )
      const { match } = yield* listOf(hashes.map((hash, index) => `sha256:${hash} ${index}`).join("\n"))
      const asked = Array.from({ length: 50 }, (_, index) => index * 400)
      const verdicts = yield* Effect.forEach(asked, (index) => match(file(hashes[index] ?? "")), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(
        verdicts.map((verdict) => verdict.match),
        asked.map(String)
      )
      assert.strictEqual(new Set(verdicts.map(({ version }) => version)).size, 1)
    })
  )
})
