import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { NodeFileSystem, NodePath } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { hkdf } from "@noble/hashes/hkdf.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import { Context, Effect, type Layer } from "effect"
import { ServerSecret } from "../../../layers/crypto/ServerSecret.ts"
import { temporaryDirectory } from "../../support/directories.ts"
import { configured, NEW, OLD, started } from "./serverSecrets.ts"

const derived = (secret: string, purpose: string) =>
  hkdf(sha256, utf8ToBytes(secret), utf8ToBytes("pennypress"), utf8ToBytes(purpose), 32)

const keysOf = <E, R>(layer: Layer.Layer<ServerSecret, E, R>, purpose = "tests") =>
  Effect.flatMap(started(layer), (context) => Context.get(context, ServerSecret).keys(purpose)).pipe(
    Effect.provide([NodeFileSystem.layer, NodePath.layer])
  )

/** Runs as a starting process does: with its own layer over a directory. */
const inFile = ServerSecret.layerFile

describe("the server's secret", () => {
  it.effect("Every purpose gets a key of its own (HKDF-SHA-256)", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* keysOf(configured(NEW), "one"), [derived(NEW, "one")])
      assert.deepStrictEqual(yield* keysOf(configured(NEW), "two"), [derived(NEW, "two")])
      assert.notDeepEqual(derived(NEW, "one"), derived(NEW, "two"))
    })
  )

  it.effect("The current secret's key comes first, then those of former ones", () =>
    Effect.gen(function* () {
      const both = [derived(NEW, "tests"), derived(OLD, "tests")]
      assert.deepStrictEqual(yield* keysOf(configured(`${NEW},${OLD}`)), both as never)
      assert.deepStrictEqual(yield* keysOf(configured(` ${NEW} ,\t${OLD}\n`)), both as never)
    })
  )

  it.effect("A secret that is named twice counts once", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* keysOf(configured(`${NEW},${OLD},${NEW}`)), [
        derived(NEW, "tests"),
        derived(OLD, "tests")
      ] as never)
    })
  )
})

describe("the generated secret", () => {
  it.effect("The secret is made at the first start, readable only by its owner, and kept", () =>
    Effect.gen(function* () {
      const directory = join(yield* temporaryDirectory, "not yet", "there")
      const first = yield* keysOf(inFile(directory))
      assert.deepStrictEqual(readdirSync(directory), ["server-secret"])
      const file = join(directory, "server-secret")
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      const text = readFileSync(file, "utf8")
      assert.match(text, /^[0-9a-f]{64}\n$/)
      assert.deepStrictEqual(first, [derived(text.trim(), "tests")])
      assert.deepStrictEqual(yield* keysOf(inFile(directory)), first)
      assert.strictEqual(readFileSync(file, "utf8"), text)
    })
  )

  it.effect("The secret is another one in another directory", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* temporaryDirectory, yield* temporaryDirectory]
      assert.notDeepEqual(yield* keysOf(inFile(one)), yield* keysOf(inFile(two)))
    })
  )

  it.effect("The secret is the same for processes that start together", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const all = yield* Effect.all(
        Array.from({ length: 10 }, () => keysOf(inFile(directory))),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(new Set(all.map(([key]) => bytesToHex(key))).size, 1)
      assert.deepStrictEqual(readdirSync(directory), ["server-secret"])
    })
  )

  it.effect("The secret is rotated like a configured one, with the new one first", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      writeFileSync(join(directory, "server-secret"), `${NEW},${OLD}\n`)
      assert.deepStrictEqual(yield* keysOf(inFile(directory)), yield* keysOf(configured(`${NEW},${OLD}`)))
    })
  )

  it.effect("An empty file, or one too short to be a secret, is refused", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const file = join(directory, "server-secret")
      for (const text of ["", "\n", "hunter2\n", `${NEW},\n`, `${NEW},hunter2\n`]) {
        writeFileSync(file, text)
        const error = yield* Effect.flip(keysOf(inFile(directory)))
        assert.strictEqual(error._tag, "ServerSecretUnusable")
        assert.include(error.message, file)
        assert.notInclude(error.message, "hunter2")
        assert.strictEqual(readFileSync(file, "utf8"), text)
      }
    })
  )

  it.effect("An unreadable file is not replaced", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      mkdirSync(join(directory, "server-secret"))
      assert.strictEqual((yield* Effect.flip(keysOf(inFile(directory))))._tag, "PlatformError")
      assert.deepStrictEqual(readdirSync(directory), ["server-secret"])
    })
  )
})
