import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, type Layer, Schema, Stream } from "effect"
import { ObjectKey, ObjectStorage } from "../../../src/platform/ports/ObjectStorage.ts"

const key = (text: string) => ObjectKey.make(text)
const bytes = (text: string) => new TextEncoder().encode(text)
const text = { contentType: "text/plain; charset=utf-8" }

class Hangup extends Schema.TaggedError<Hangup>()("Hangup", {}) {}

const read = Effect.fnUntraced(function* (
  of: string,
  range?: { readonly offset: number; readonly length?: number }
) {
  const object = yield* (yield* ObjectStorage).get(key(of), range === undefined ? {} : { range })
  return new TextDecoder().decode(yield* Stream.mkUint8Array(object.body))
}, Effect.scoped)

const keys = (prefix: string) =>
  Effect.flatMap(ObjectStorage, (storage) => Stream.runCollect(storage.list(prefix)))

/**
 * Tests the contract of object stores. Each test builds the layer again and finds it empty; a store over sockets runs on
 * the real clock.
 */
export const objectStorageSuite = (
  name: string,
  layer: Layer.Layer<ObjectStorage>,
  run: typeof it.effect = it.effect
) =>
  describe(name, () => {
    const test = <E>(title: string, body: () => Effect.Effect<void, E, ObjectStorage>) =>
      run(title, () => Effect.provide(body(), layer))

    test(
      "A get gives back what was put, with its size and media type",
      Effect.fnUntraced(function* () {
        const storage = yield* ObjectStorage
        assert.deepStrictEqual(yield* storage.put(key("a/b.txt"), bytes("hello"), text), { size: 5 })
        assert.strictEqual(yield* read("a/b.txt"), "hello")
        assert.deepStrictEqual({ ...(yield* storage.stat(key("a/b.txt"))) }, { size: 5, ...text })
        const { contentType, size } = yield* Effect.scoped(storage.get(key("a/b.txt")))
        assert.deepStrictEqual({ size, contentType }, { size: 5, ...text })
      })
    )

    test(
      "A stream may use the memory of a piece again",
      Effect.fnUntraced(function* () {
        // The pieces of a request are such buffers, whose `slice` copies nothing.
        const memory = Buffer.alloc(100_000)
        const pieces = Stream.map(Stream.rechunk(Stream.range(1, 9), 1), (value) => memory.fill(value))
        const storage = yield* ObjectStorage
        yield* storage.put(key("again"), pieces, text)
        const expected = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((value) => Buffer.alloc(100_000, value))
        assert.isTrue(Buffer.from(yield* storage.read(key("again"))).equals(Buffer.concat(expected)))
      })
    )

    test(
      "An object is read in one piece, however it was put",
      Effect.fnUntraced(function* () {
        const storage = yield* ObjectStorage
        // Pieces smaller than, as large as and larger than one write of the store.
        const sizes = [1, 70_000, 3, 65_536, 65_535, 2, 0, 200_000]
        const pieces = sizes.map((size, place) => new Uint8Array(size).fill(place + 1))
        yield* storage.put(key("pieces"), Stream.fromArray(pieces), text)
        const whole = yield* storage.read(key("pieces"))
        assert.isTrue(Buffer.from(whole).equals(Buffer.concat(pieces)))
        yield* storage.put(key("empty"), Stream.empty, text)
        assert.strictEqual((yield* storage.read(key("empty"))).length, 0)
        const missing = yield* Effect.flip(storage.read(key("none")))
        assert.strictEqual(missing._tag, "ObjectNotFound")
      })
    )

    test(
      "A put takes a stream of any size, even an empty one",
      Effect.fnUntraced(function* () {
        const storage = yield* ObjectStorage
        const chunk = new Uint8Array(100_000).fill(7)
        const stream = Stream.fromArray(Array.from({ length: 7 }, () => chunk))
        assert.deepStrictEqual(yield* storage.put(key("big"), stream, text), { size: 700_000 })
        const big = yield* Effect.scoped(
          Effect.flatMap(storage.get(key("big")), ({ body }) => Stream.mkUint8Array(body))
        )
        assert.strictEqual(big.length, 700_000)
        assert.isTrue(big.every((byte) => byte === 7))
        assert.deepStrictEqual(yield* storage.put(key("nothing"), Stream.empty, text), { size: 0 })
        assert.strictEqual(yield* read("nothing"), "")
      })
    )

    test(
      "A put takes more than a part of an upload, as a stream and in one piece",
      Effect.fnUntraced(function* () {
        const storage = yield* ObjectStorage
        const chunks = Array.from({ length: 170 }, (_, at) => new Uint8Array(100_003).fill(at))
        const whole = Buffer.concat(chunks)
        const digest = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")
        const large = { contentType: "application/zip" }
        for (const body of [Stream.fromArray(chunks), whole, whole.subarray(0, 8_388_608)]) {
          const length = body instanceof Uint8Array ? body.length : whole.length
          assert.deepStrictEqual(yield* storage.put(key("large"), body, large), { size: length })
          assert.deepStrictEqual({ ...(yield* storage.stat(key("large"))) }, { size: length, ...large })
          const got = yield* Effect.scoped(
            Effect.flatMap(storage.get(key("large")), ({ body }) => Stream.mkUint8Array(body))
          )
          assert.strictEqual(digest(got), digest(whole.subarray(0, length)))
        }
        yield* storage.put(key("large"), whole, large)
        const over = { offset: 8_388_600, length: 16 }
        const across = yield* Effect.scoped(
          Effect.flatMap(storage.get(key("large"), { range: over }), ({ body }) => Stream.mkUint8Array(body))
        )
        assert.deepStrictEqual([...across], [...whole.subarray(over.offset, over.offset + over.length)])
      })
    )

    test(
      "A get gives parts of an object",
      Effect.fnUntraced(function* () {
        const storage = yield* ObjectStorage
        yield* storage.put(key("digits"), bytes("0123456789"), text)
        assert.strictEqual(yield* read("digits", { offset: 3, length: 4 }), "3456")
        assert.strictEqual(yield* read("digits", { offset: 7 }), "789")
        assert.strictEqual(yield* read("digits", { offset: 8, length: 100 }), "89")
        assert.strictEqual(yield* read("digits", { offset: 0, length: 0 }), "")
        assert.strictEqual(yield* read("digits", { offset: 10 }), "")
        assert.strictEqual(yield* read("digits", { offset: 1000 }), "")
        const part = yield* Effect.scoped(storage.get(key("digits"), { range: { offset: 9 } }))
        assert.strictEqual(part.size, 10)
      })
    )

    test(
      "A missing object is reported as such",
      Effect.fnUntraced(function* () {
        const storage = yield* ObjectStorage
        const missing = key("no/such/thing")
        const errors = [
          yield* Effect.flip(Effect.scoped(storage.get(missing))),
          yield* Effect.flip(storage.stat(missing)),
          yield* Effect.flip(storage.copy(missing, key("other")))
        ]
        assert.deepStrictEqual(
          errors.map((error) => error._tag),
          Array.from({ length: 3 }, () => "ObjectNotFound")
        )
        assert.deepStrictEqual(yield* keys(""), [])
      })
    )

    test(
      "A put replaces an object, and readers of the old one keep it",
      Effect.fnUntraced(function* () {
        const storage = yield* ObjectStorage
        yield* storage.put(key("a"), bytes("first"), text)
        const kept = yield* Effect.scoped(
          Effect.gen(function* () {
            const { body } = yield* storage.get(key("a"))
            yield* storage.put(key("a"), bytes("the second"), { contentType: "image/webp" })
            return yield* Stream.mkUint8Array(body)
          })
        )
        assert.strictEqual(new TextDecoder().decode(kept), "first")
        assert.strictEqual(yield* read("a"), "the second")
        assert.deepStrictEqual(
          { ...(yield* storage.stat(key("a"))) },
          { size: 10, contentType: "image/webp" }
        )
      })
    )

    test(
      "Concurrent puts of one key leave one whole object",
      Effect.fnUntraced(function* () {
        const storage = yield* ObjectStorage
        const put = (letter: string) =>
          storage.put(
            key("race"),
            Stream.fromArray(Array.from({ length: 50 }, () => bytes(letter.repeat(1000)))),
            {
              contentType: `text/${letter}`
            }
          )
        yield* Effect.forEach([..."abcdefgh"], put, { concurrency: "unbounded" })
        const whole = yield* read("race")
        assert.strictEqual(whole, whole.charAt(0).repeat(50_000))
        assert.strictEqual((yield* storage.stat(key("race"))).contentType, `text/${whole.charAt(0)}`)
      })
    )

    test(
      "A removal may be repeated, also for what is gone",
      Effect.fnUntraced(function* () {
        const storage = yield* ObjectStorage
        yield* storage.put(key("a/b"), bytes("x"), text)
        yield* storage.remove(key("a/b"))
        yield* storage.remove(key("a/b"))
        yield* storage.remove(key("never/was/there"))
        assert.strictEqual((yield* Effect.flip(storage.stat(key("a/b"))))._tag, "ObjectNotFound")
      })
    )

    test(
      "A copy has bytes and media type, also onto itself",
      Effect.fnUntraced(function* () {
        const storage = yield* ObjectStorage
        yield* storage.put(key("a"), bytes("x"), text)
        yield* storage.copy(key("a"), key("b/c"))
        yield* storage.copy(key("a"), key("a"))
        yield* storage.remove(key("a"))
        assert.strictEqual(yield* read("b/c"), "x")
        assert.deepStrictEqual({ ...(yield* storage.stat(key("b/c"))) }, { size: 1, ...text })
      })
    )

    test(
      "Keys are listed in order, by prefix, and one key may begin another",
      Effect.fnUntraced(function* () {
        const storage = yield* ObjectStorage
        const all = ["a", "a-b", "a.b/c", "a/b", "a/b/c", "a/b0", "a0", "b/a"].map(key)
        yield* Effect.forEach(all.toReversed(), (each) => storage.put(each, bytes(each), text), {
          discard: true
        })
        assert.deepStrictEqual(yield* keys(""), all)
        assert.deepStrictEqual(yield* keys("a/"), ["a/b", "a/b/c", "a/b0"].map(key))
        assert.deepStrictEqual(yield* keys("a/b"), ["a/b", "a/b/c", "a/b0"].map(key))
        assert.deepStrictEqual(yield* keys("a/b/"), ["a/b/c"].map(key))
        assert.deepStrictEqual(yield* keys("b"), ["b/a"].map(key))
        for (const none of ["c", "/", "..", "../../", "a~", "a//", "\0"]) {
          assert.deepStrictEqual(yield* keys(none), [], none)
        }
        yield* Effect.forEach(all, (each) =>
          Effect.map(read(each), (was) => assert.strictEqual<string>(was, each))
        )
      })
    )

    test(
      "A put whose stream fails leaves everything as it was",
      Effect.fnUntraced(function* () {
        const storage = yield* ObjectStorage
        yield* storage.put(key("a"), bytes("before"), text)
        const broken = Stream.concat(Stream.succeed(bytes("half")), Stream.fail(new Hangup()))
        assert.instanceOf(yield* Effect.flip(storage.put(key("a"), broken, text)), Hangup)
        assert.instanceOf(yield* Effect.flip(storage.put(key("b"), broken, text)), Hangup)
        const long = Stream.concat(
          Stream.fromArray(Array.from({ length: 100 }, () => new Uint8Array(100_000))),
          Stream.fail(new Hangup())
        )
        assert.instanceOf(yield* Effect.flip(storage.put(key("a"), long, text)), Hangup)
        assert.instanceOf(yield* Effect.flip(storage.put(key("c"), long, text)), Hangup)
        assert.strictEqual(yield* read("a"), "before")
        assert.deepStrictEqual(yield* keys(""), [key("a")])
      })
    )

    test(
      "Invalid keys and media types are defects",
      Effect.fnUntraced(function* () {
        const storage = yield* ObjectStorage
        const isDefect = (exit: Exit.Exit<unknown, unknown>) =>
          Exit.isFailure(exit) && Cause.hasDies(exit.cause)
        for (const hostile of [
          "../a",
          "a/../../b",
          "/etc/passwd",
          "a\0b",
          "",
          "a/",
          "a//b",
          ".hidden",
          "a~/b",
          "A"
        ]) {
          const bad = hostile as ObjectKey
          const exits = [
            yield* Effect.exit(storage.put(bad, bytes("x"), text)),
            yield* Effect.exit(Effect.scoped(storage.get(bad))),
            yield* Effect.exit(storage.stat(bad)),
            yield* Effect.exit(storage.remove(bad)),
            yield* Effect.exit(storage.copy(bad, key("a"))),
            yield* Effect.exit(
              Effect.andThen(storage.put(key("a"), bytes("x"), text), storage.copy(key("a"), bad))
            )
          ]
          assert.isTrue(exits.every(isDefect), hostile)
        }
        for (const contentType of ["", "text/plain\r\nx: y", "x".repeat(256), "ü"]) {
          assert.isTrue(isDefect(yield* Effect.exit(storage.put(key("b"), bytes("x"), { contentType }))))
        }
        yield* storage.put(key("b"), bytes("x"), { contentType: "x".repeat(255) })
        assert.strictEqual((yield* storage.stat(key("b"))).contentType, "x".repeat(255))
      })
    )
  })
