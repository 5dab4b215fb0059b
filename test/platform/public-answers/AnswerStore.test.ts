import { assert, describe, it } from "@effect/vitest"
import { AnswerStore, type PublicAnswer } from "../../../src/platform/public-answers/AnswerStore.ts"
import { Generations } from "../../../src/platform/public-answers/Generations.ts"

const answer = (tags: ReadonlyArray<string>, bytes = 100, digest = "digest"): PublicAnswer => ({
  route: "/things/:id",
  contentType: "application/json",
  body: new Uint8Array(bytes),
  limit: "public-read",
  digest,
  headers: {},
  isWeak: false,
  otherTypes: [],
  tags,
  given: undefined,
  coded: new Map()
})

const LATER = 10_000

/** Memory of an answer of 100 bytes with a key of one letter and one tag. */
const BYTES = 1_024 + 2 + 128 + 100

const world = (bytesMax = 100_000) => {
  const generations = new Generations()
  const store = new AnswerStore(bytesMax, generations)
  const put = (key: string, it: PublicAnswer, until = LATER) => store.put(key, it, generations.now, until)
  return { generations, put, store }
}

/** A store with room for three answers, and a sixteenth of it for targets. */
const small = () => world(Math.ceil((3 * BYTES * 16) / 15))

describe("the store of public answers", () => {
  it("The store keeps what was read last within its bytes", () => {
    const { put, store } = small()
    for (const key of ["a", "b", "c"]) put(key, answer([key]))
    assert.isDefined(store.find("a", 0))
    put("d", answer(["d"]))
    assert.deepStrictEqual(
      ["a", "b", "c", "d"].filter((key) => store.find(key, 0) !== undefined),
      ["a", "c", "d"]
    )
    assert.strictEqual(store.bytes, 3 * BYTES)
  })

  it("The store does not keep an answer larger than the store", () => {
    const { put, store } = small()
    put("large", answer(["large"], 5_000))
    assert.isUndefined(store.find("large", 0))
    assert.strictEqual(store.bytes, 0)
  })

  it("The store finds an answer by each target that had it, within its bytes", () => {
    const { put, store } = world()
    put("key", answer([]))
    const before = store.bytes
    const targets = Array.from({ length: 1_000 }, (_, n) => `/things?n=${n}`)
    for (const target of targets) {
      store.addTarget(target, "key")
      assert.isDefined(store.findTarget(target, 0))
      assert.isDefined(store.findTarget("/things?n=0", 0), "the target that is read is remembered")
    }
    assert.isUndefined(store.findTarget("/things?n=1", 0))
    assert.isAtMost(store.bytes - before, 100_000 / 16)
    store.addTarget("/other", "no such key")
    assert.isUndefined(store.findTarget("/other", 0))
  })

  it("The store finds no answer whose tags have changed, by its key or its target", () => {
    const { generations, put, store } = world()
    put("a", answer(["x", "y"]))
    put("b", answer(["y"]))
    put("c", answer(["z"]))
    store.addTarget("/a", "a")
    assert.isDefined(store.findTarget("/a", 0))
    generations.raise(["y", "unknown"])
    for (let n = 0; n < 2; n++)
      assert.deepStrictEqual(
        ["a", "b", "c"].map((key) => store.find(key, 0) !== undefined),
        [false, false, true]
      )
    assert.isUndefined(store.findTarget("/a", 0))
    generations.raiseAll()
    assert.isUndefined(store.find("c", 0))
  })

  it("The store keeps no answer that a change overtook, or while one is under way", () => {
    const { generations, put, store } = world()
    const since = generations.now
    generations.begin(["x"])
    put("a", answer(["x"]))
    assert.isUndefined(store.find("a", 0))
    generations.end(["x"])
    store.put("a", answer(["x"]), since, LATER)
    assert.isUndefined(store.find("a", 0))
    put("a", answer(["x"]))
    assert.isDefined(store.find("a", 0))
    store.put("a", answer(["x"], 100, "older"), since, LATER)
    assert.strictEqual(store.find("a", 0)?.digest, "digest")
  })

  it("The store counts tags, which take more memory than a small body", () => {
    const { put, store } = world()
    put("list", answer(Array.from({ length: 100 }, (_, n) => `post:${n}`)))
    assert.strictEqual(store.bytes, 1_024 + 2 * 4 + 100 + 100 * 128)
  })

  it("The store counts codings, and takes none for an answer that is gone", () => {
    const { put, store } = world()
    const first = answer(["x"])
    put("key", first)
    const before = store.bytes
    store.addCoded("key", first, "br", new Uint8Array(40))
    store.addCoded("key", first, "br", new Uint8Array(40))
    assert.strictEqual(store.bytes, before + 40)
    put("key", answer(["x"], 100, "another"))
    store.addCoded("key", first, "gzip", new Uint8Array(40))
    assert.strictEqual(store.bytes, before)
  })

  it("The store ends an answer at its time", () => {
    const { put, store } = small()
    put("a", answer(["a"]))
    store.addTarget("/a", "a")
    assert.isDefined(store.findTarget("/a", LATER - 1))
    assert.isUndefined(store.findTarget("/a", LATER))
    assert.isUndefined(store.find("a", LATER))
  })

  it("The store takes over the codings of the same body, but not of another body", () => {
    for (const end of ["its time", "a change"]) {
      const { generations, put, store } = world()
      const first = answer(["x"])
      put("key", first)
      store.addCoded("key", first, "br", new Uint8Array(40))
      if (end === "a change") generations.raise(["x"])
      assert.isUndefined(store.find("key", LATER))
      put("key", answer(["x"]), 2 * LATER)
      assert.strictEqual(store.find("key", LATER)?.coded.get("br")?.byteLength, 40, end)
      const { bytes } = store
      put("key", answer(["x"], 100, "other"), 3 * LATER)
      assert.strictEqual(store.find("key", LATER)?.coded.size, 0, end)
      assert.strictEqual(store.bytes, bytes - 40)
    }
  })

  it("The store gives the room of an ended answer to others", () => {
    const { put, store } = small()
    for (const key of ["a", "b", "c"]) put(key, answer([key]))
    put("d", answer(["d"]), 2 * LATER)
    assert.strictEqual(store.bytes, 3 * BYTES)
    assert.isDefined(store.find("d", LATER))
  })
})
