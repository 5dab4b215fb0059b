import { assert, describe, it } from "@effect/vitest"
import { AnswerStore, type PublicAnswer } from "../../../src/platform/public-answers/AnswerStore.ts"

const answer = (tags: ReadonlyArray<string>, bytes = 100): PublicAnswer => ({
  route: "/things/:id",
  contentType: "application/json",
  body: new Uint8Array(bytes),
  limit: "public-read",
  digest: "digest",
  headers: {},
  isWeak: false,
  otherTypes: [],
  tags,
  coded: new Map()
})

const LATER = 10_000

/** A store with room for three answers of 100 bytes and one tag. */
const small = () => new AnswerStore(3 * (1_024 + 64 + 100))

describe("the store of public answers", () => {
  it("The store keeps what was read last within its bytes", () => {
    const store = small()
    for (const key of ["a", "b", "c"]) store.put(key, answer([key]), LATER)
    assert.isDefined(store.find("a", 0))
    store.put("d", answer(["d"]), LATER)
    assert.deepStrictEqual(
      ["a", "b", "c", "d"].filter((key) => store.find(key, 0) !== undefined),
      ["a", "c", "d"]
    )
    assert.isAtMost(store.bytes, 3 * 1_188)
  })

  it("The store does not keep an answer larger than the store", () => {
    const store = small()
    store.put("a", answer(["a"]), LATER)
    store.put("large", answer(["large"], 5_000), LATER)
    assert.strictEqual(store.size, 0)
    assert.strictEqual(store.bytes, 0)
  })

  it("The store finds an answer by each target that had it, up to eight", () => {
    const store = new AnswerStore(100_000)
    store.put("key", answer([]), LATER)
    const urls = Array.from({ length: 10 }, (_, n) => `/things?n=${n}`)
    for (const url of urls) store.alias(url, "key")
    assert.deepStrictEqual(
      urls.map((url) => store.findUrl(url, 0) !== undefined),
      urls.map((_, n) => n < 8)
    )
    store.alias("/other", "no such key")
    assert.isUndefined(store.findUrl("/other", 0))
  })

  it("The store drops every answer that shows a thing, with its targets and its bytes", () => {
    const store = new AnswerStore(100_000)
    store.put("a", answer(["x", "y"]), LATER)
    store.put("b", answer(["y"]), LATER)
    store.put("c", answer(["z"]), LATER)
    store.alias("/a", "a")
    store.drop(["y", "unknown"])
    assert.deepStrictEqual(
      ["a", "b", "c"].map((key) => store.find(key, 0) !== undefined),
      [false, false, true]
    )
    assert.isUndefined(store.findUrl("/a", 0))
    store.drop(["x", "z"])
    assert.strictEqual(store.bytes, 0)
  })

  it("The store counts tags, which take more memory than a small body", () => {
    const store = new AnswerStore(100_000)
    const tags = Array.from({ length: 100 }, (_, n) => `post:${n}`)
    store.put("list", answer(tags), LATER)
    const before = store.bytes
    assert.strictEqual(before, 1_024 + 100 + 100 * 64)
    const others = answer([...tags, "post:100"])
    store.put("other", others, LATER)
    assert.deepStrictEqual(others.tags, [...tags, "post:100"])
    store.drop(["post:100"])
    assert.strictEqual(store.bytes, before)
    store.drop(["post:7"])
    assert.deepStrictEqual([store.size, store.bytes], [0, 0])
  })

  it("The store counts codings, and takes none for an answer that is gone", () => {
    const store = new AnswerStore(100_000)
    const first = answer(["x"])
    store.put("key", first, LATER)
    const before = store.bytes
    store.addCoded("key", first, "br", new Uint8Array(40))
    store.addCoded("key", first, "br", new Uint8Array(40))
    assert.strictEqual(store.bytes, before + 40)
    const second = { ...answer(["x"]), digest: "another" }
    store.put("key", second, LATER)
    store.addCoded("key", first, "gzip", new Uint8Array(40))
    assert.strictEqual(store.bytes, before)
    store.drop(["x"])
    assert.strictEqual(store.bytes, 0)
  })

  it("The store ends an answer at its time", () => {
    const store = small()
    store.put("a", answer(["a"]), LATER)
    store.alias("/a", "a")
    assert.isDefined(store.findUrl("/a", LATER - 1))
    assert.isUndefined(store.findUrl("/a", LATER))
    assert.isUndefined(store.find("a", LATER))
  })

  it("The store takes over the codings of the same body, but not of another body", () => {
    const store = new AnswerStore(100_000)
    const made = (digest: string) => ({ ...answer(["x"]), digest, coded: new Map() })
    const [first, same, other] = [made("one"), made("one"), made("other")]
    store.put("key", first, LATER)
    store.addCoded("key", first, "br", new Uint8Array(40))
    assert.isUndefined(store.find("key", LATER))
    store.put("key", same, 2 * LATER)
    assert.strictEqual(store.find("key", LATER)?.coded.get("br")?.byteLength, 40)
    const { bytes } = store
    store.put("key", other, 3 * LATER)
    assert.strictEqual(store.find("key", LATER)?.coded.size, 0)
    assert.strictEqual(store.bytes, bytes - 40)
    store.drop(["x"])
    assert.strictEqual(store.bytes, 0)
  })

  it("The store gives the room of an ended answer to others", () => {
    const store = small()
    for (const key of ["a", "b", "c"]) store.put(key, answer([key]), LATER)
    assert.isUndefined(store.find("a", LATER))
    store.put("d", answer(["d"]), 2 * LATER)
    assert.strictEqual(store.size, 3)
    assert.isDefined(store.find("d", LATER))
  })

  it("The store forgets everything together", () => {
    const store = small()
    store.put("a", answer(["a"]), LATER)
    store.alias("/a", "a")
    store.clear()
    assert.isUndefined(store.find("a", 0))
    assert.isUndefined(store.findUrl("/a", 0))
    assert.strictEqual(store.bytes, 0)
  })
})
