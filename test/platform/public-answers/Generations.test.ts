import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { Generations } from "../../../src/platform/public-answers/Generations.ts"

describe("the generations of tags", () => {
  it("A write changes its tags when it begins and when it ends", () => {
    const generations = new Generations()
    const before = generations.now
    generations.begin(["a"])
    const during = generations.now
    assert.isFalse(generations.isValid(["b", "a"], before))
    assert.isTrue(generations.isValid(["b"], before))
    assert.isTrue(generations.isChanging(["b", "a"]))
    generations.end(["a"])
    assert.isFalse(generations.isValid(["a"], during))
    assert.isTrue(generations.isValid(["a"], generations.now))
    assert.isFalse(generations.isChanging(["a"]))
  })

  it("A tag is changing until the last of two writes ends", () => {
    const generations = new Generations()
    generations.begin(["a"])
    generations.begin(["a", "b"])
    generations.end(["a"])
    assert.isTrue(generations.isChanging(["a"]))
    generations.end(["a", "b"])
    assert.isFalse(generations.isChanging(["a"]))
  })

  it("A tag that was forgotten counts as changed", () => {
    const generations = new Generations()
    generations.raise(["old"])
    const before = generations.now
    generations.raise(["forgotten"])
    const between = generations.now
    for (let n = 0; n < 70_000; n++) generations.raise([`tag ${n}`])
    for (const since of [before, between]) assert.isFalse(generations.isValid(["forgotten"], since))
    assert.isFalse(generations.isValid(["never changed"], between))
    assert.isTrue(generations.isValid(["forgotten", "never changed"], generations.now))
  })

  it("A write under way is remembered when its tags are forgotten", () => {
    const generations = new Generations()
    generations.begin(["a"])
    for (let n = 0; n < 70_000; n++) generations.raise([`tag ${n}`])
    assert.isTrue(generations.isChanging(["a"]))
  })

  it("No script of writes and signals leaves an answer valid that shows a change", () => {
    const tag = fc.constantFrom("a", "b", "c")
    const step = fc.oneof(
      fc.record({ act: fc.constantFrom("begin", "end", "raise"), tag }),
      fc.record({ act: fc.constantFrom("all", "make"), tag })
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (script) => {
        const generations = new Generations()
        const writes = { a: 0, b: 0, c: 0 }
        /** Answers that were made while nothing wrote their tag, until it changes. */
        const answers: Array<{ readonly tag: string; readonly since: number; isCurrent: boolean }> = []
        const end = (of: string) => {
          for (const it of answers) if (it.tag === of) it.isCurrent = false
        }
        for (const { act, tag } of script) {
          if (act === "make") {
            assert.strictEqual(generations.isChanging([tag]), writes[tag] > 0)
            if (writes[tag] === 0) answers.push({ tag, since: generations.now, isCurrent: true })
          } else if (act === "all") {
            generations.raiseAll()
            for (const it of answers) it.isCurrent = false
          } else if (act !== "end" || writes[tag] > 0) {
            if (act === "begin") writes[tag]++
            if (act === "end") writes[tag]--
            if (act === "begin") generations.begin([tag])
            else if (act === "end") generations.end([tag])
            else generations.raise([tag])
            end(tag)
          }
          for (const it of answers) assert.strictEqual(generations.isValid([it.tag], it.since), it.isCurrent)
        }
      })
    )
  })
})
