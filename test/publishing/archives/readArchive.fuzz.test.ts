import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { openArchive } from "../../../src/publishing/archives/readArchive.ts"
import { soak } from "../../support/soak.ts"
import { filesOf, type MadeEntry, zipOf } from "./makeZip.ts"
import { namesFromStart, rawNameOf } from "./readFromStart.ts"
import { codeOf } from "./results.ts"

const valid = zipOf([
  { name: "d/" },
  { name: "d/a.txt", content: "hello" },
  { name: "d/b.txt", content: "hello ".repeat(50), method: 8, descriptor: "signed" },
  { name: "c.txt", content: "x", zip64: true }
])

const check = (archive: Uint8Array) => Effect.runPromise(codeOf(archive))

/** Bytes of an archive that are content, which is read by screening alone. */
const isContent = (index: number) => {
  const text = Buffer.from(valid).toString("latin1")
  const stored = text.indexOf("hello")
  return index >= stored && index < stored + 5
}

describe("archives of any bytes", () => {
  it("Any bytes are accepted or refused, and never throw", () =>
    fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), fc.boolean(), async (bytes, isZip) => {
        const archive = isZip ? Uint8Array.from([0x50, 0x4b, 3, 4, ...bytes]) : bytes
        assert.notStrictEqual(await check(archive), "accepted")
      }),
      { numRuns: soak(300, 20_000) }
    ))

  it("An archive with a few changed bytes is refused, or has the same entries for a streaming reader", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(valid.length - 1), fc.integer({ min: 1, max: 255 })), {
          minLength: 1,
          maxLength: 4
        }),
        async (changes) => {
          const archive = valid.slice()
          for (const [place, by] of changes) archive[place] = (archive[place] ?? 0) ^ by
          if ((await check(archive)) !== "accepted") return
          const { entries } = await openArchive(archive)
          const names = entries.map((it) => rawNameOf(it.rawFilename))
          assert.deepStrictEqual(namesFromStart(archive) ?? names, names)
        }
      ),
      { numRuns: soak(400, 50_000) }
    ))

  it("A cut archive is refused", () =>
    fc.assert(
      fc.asyncProperty(fc.nat(valid.length - 1), async (length) => {
        assert.notStrictEqual(await check(valid.subarray(0, length)), "accepted")
      }),
      { numRuns: soak(100, 2000) }
    ))

  // In the last two bytes, the length of the comment, it makes a comment of one byte.
  it("An archive with one more byte is refused, unless it is in content or comment", () =>
    fc.assert(
      fc.asyncProperty(fc.nat(valid.length - 3), fc.nat(255), async (place, byte) => {
        if (isContent(place)) return
        const archive = Uint8Array.from([...valid.subarray(0, place), byte, ...valid.subarray(place)])
        assert.notStrictEqual(await check(archive), "accepted")
      }),
      { numRuns: soak(200, 5000) }
    ))

  it("An archive of any ordinary names is accepted once, in any order", () =>
    fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.stringMatching(/^[a-z][a-z0-9]{2,7}$/), { minLength: 1, maxLength: 20 }),
        fc.boolean(),
        async (names, descriptors) => {
          const entries = names.map((name): MadeEntry => ({
            name: `x-${name}`,
            content: name,
            ...(descriptors ? { descriptor: "signed" as const } : {})
          }))
          assert.strictEqual(await check(zipOf(entries)), "accepted")
          assert.strictEqual(await check(zipOf(entries.toReversed())), "accepted")
          assert.notStrictEqual(await check(zipOf([...entries, ...entries.slice(0, 1)])), "accepted")
        }
      ),
      { numRuns: soak(50, 2000) }
    ))

  it("An archive with ends everywhere, or with 65,535 records, is refused within a second", async () => {
    const ends = new Uint8Array(25 * 1024 * 1024)
    ends.set([0x50, 0x4b, 3, 4])
    for (let at = ends.length - 70_000; at < ends.length - 22; at += 4) ends.set([0x50, 0x4b, 5, 6], at)
    const many = zipOf(filesOf(2000), {})
    const began = performance.now()
    assert.notStrictEqual(await check(ends), "accepted")
    assert.strictEqual(await check(many), "ambiguous")
    assert.isBelow(performance.now() - began, 5000)
  })
})
