import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import {
  described,
  extentOf,
  imageOf,
  movedByWall,
  movedPlace,
  outside,
  scaledSize
} from "../../../../src/platform/pages/assets/places.js"

describe("the places of pictures", () => {
  it("A place stays at its words while the author types elsewhere", () => {
    const words = fc.string({ maxLength: 8 })
    fc.assert(
      fc.property(words, words, words, words, (a, b, c, typed) => {
        // The sign at the place occurs nowhere else.
        const [left, right] = [`x${a}${b}`, c].map((it) => it.replaceAll("¶", "x"))
        const place = (left ?? "").length
        for (const after of [`${typed.replaceAll("¶", "x")}${left}¶${right}`, `${left}¶${right}${typed}`])
          assert.strictEqual(movedPlace(`${left}¶${right}`, after, place), after.indexOf("¶"))
      })
    )
  })

  it("A place within words that are deleted goes to where they were", () => {
    assert.strictEqual(movedPlace("one two three", "one three", 6), 3)
    assert.strictEqual(movedPlace("one", "", 2), 0)
  })

  it("What is typed at a place stands after it", () => {
    assert.strictEqual(movedPlace("ab", "axb", 1), 1)
  })

  it("A place is never within a picture or a link", () => {
    const text = "a ![](one.png) [b](c.html) [d]"
    const places = [0, 2, 4, 8, 14, 16, 20, 28]
    assert.deepStrictEqual(
      places.map((place) => outside(text, place)),
      [0, 2, 14, 14, 14, 26, 26, 28]
    )
  })

  it("A picture that is too large keeps its proportions", () => {
    assert.deepStrictEqual(scaledSize(8000, 6000, 0), { width: 4096, height: 3072 })
    assert.deepStrictEqual(scaledSize(3000, 2000, 1), { width: 2100, height: 1400 })
    assert.deepStrictEqual(scaledSize(100_000, 1, 0), { width: 4096, height: 1 })
  })

  it("A picture is written so that its description reads as it was typed, wherever the text shows it", () => {
    assert.strictEqual(imageOf("/a.png", "A [bridge]\n*leans*"), "![A \\[bridge\\] \\*leans\\*](/a.png)")
    const text =
      '![One](/media/7/a.png "Caption") and ![](/media/7/a.png)\n\n![7](/media/8/b.png)\n[7](/media/7/a.png)'
    const edits = described(text, "/7/", "A bridge")
    const after = edits.reduce((it, { from, insert, to }) => it.slice(0, from) + insert + it.slice(to), text)
    assert.strictEqual(
      after,
      '![A bridge](/media/7/a.png "Caption") and ![A bridge](/media/7/a.png)\n\n![7](/media/8/b.png)\n[7](/media/7/a.png)'
    )
    assert.deepStrictEqual(described("![7", "7", "x"), [])
    assert.deepStrictEqual(described("![".repeat(1000), "7", "x"), [])
  })

  it("The wall comes to the caret: what stands after it is paid, and what stands before it is free", () => {
    const move = (value: string, caret: number, isPaid: boolean) => {
      const it = movedByWall(value, caret, isPaid)
      return it && [value.slice(0, it.from) + it.insert + value.slice(it.to), it.moved]
    }
    assert.deepStrictEqual(move("One\n\nTwo\n\nThree\n", 5, false), ["One", "Two\n\nThree"])
    assert.deepStrictEqual(move("One\n\nTwo", 3, false), ["One", "Two"])
    assert.deepStrictEqual(move("One\n\nTwo", 0, false), ["", "One\n\nTwo"])
    assert.deepStrictEqual(move("One\n\n    code", 4, false), ["One", "    code"])
    assert.deepStrictEqual(move("One\n\nTwo", 5, true), ["Two", "One"])
    assert.deepStrictEqual(move("One\n\nTwo", 3, true), ["Two", "One"])
    assert.deepStrictEqual(move("One\n\nTwo", 8, true), ["", "One\n\nTwo"])
    for (const [value, caret, isPaid] of [
      ["One \n", 4, false],
      ["", 0, false],
      ["\n\nOne", 1, true]
    ] as const)
      assert.isUndefined(move(value, caret, isPaid))
  })

  it("A footnote ends in each part that refers to it when the wall moves", () => {
    /** Moves the wall to the sign. */
    const move = (text: string, isPaid = false) => {
      const caret = text.indexOf("|")
      const value = text.replace("|", "")
      const it = movedByWall(value, caret, isPaid)
      return it && [value.slice(0, it.from) + it.insert + value.slice(it.to), it.moved]
    }
    for (const [text, free, paid] of [
      // The notes stand at the end of the text.
      ["A[^1]\n\n|B[^2]\n\n[^1]: one\n[^2]: two\n", "A[^1]\n\n[^1]: one", "B[^2]\n\n[^2]: two"],
      ["A[^N]\n\n|B[^n]\n\n[^n]: both", "A[^N]\n\n[^n]: both", "B[^n]\n\n[^n]: both"],
      // They stand before the caret, between paragraphs, and refer to each other.
      ["A\n\n[^1]: one[^2]\n\nB\n\n[^2]: two\n\n|C[^1]", "A\n\nB", "C[^1]\n\n[^1]: one[^2]\n\n[^2]: two"],
      // A note of several paragraphs goes as a whole.
      [
        "A[^1]\n\n|B\n\n[^1]: one\nlazy\n\n    more\n\n\tmost\n\nC",
        "A[^1]\n\n[^1]: one\nlazy\n\n    more\n\n\tmost",
        "B\n\nC"
      ],
      ["A\n[^1]: one\n# B\n\n|C[^1]", "A\n\n# B", "C[^1]\n\n[^1]: one"],
      // One without a reference stays, and code has none.
      ["A\n\n[^1]: one\n\n|B", "A\n\n[^1]: one", "B"],
      ["A[^1]\n\n|B\n\n```\n[^1]: code\n```", "A[^1]", "B\n\n```\n[^1]: code\n```"],
      ["A[^constructor]\n\n|B[^__proto__]", "A[^constructor]", "B[^__proto__]"]
    ] as const)
      assert.deepStrictEqual(move(text), [free, paid], text)
    assert.deepStrictEqual(move("A[^1]\n\n|B\n\n[^1]: one", true), ["B", "A[^1]\n\n[^1]: one"])
    // Only notes of the other part stand after the caret.
    assert.isUndefined(move("A[^1]|\n\n[^1]: one"))
    // A long text costs little.
    const started = performance.now()
    move(
      `${Array.from({ length: 9000 }, (_, at) => `[^${at}]\n[^${at}]: [^${at + 1}]`).join("\n")}|\n\nB[^1]`
    )
    move(`|${"[^".repeat(50_000)}${"[^1]:\n".repeat(20_000)}`)
    assert.isBelow(performance.now() - started, 2000)
  })

  it("No reference loses its footnote by the wall, wherever it comes to", () => {
    const label = fc.constantFrom("1", "2", "Ä")
    const block = fc.oneof(
      label.map((it) => `Words[^${it}] and more.`),
      fc.tuple(label, label).map(([it, other]) => `[^${it}]: A note[^${other}]`),
      label.map((it) => `[^${it}]: A note\n\n    with more`),
      fc.constantFrom("# Words", "- Words", "    [^1]: code", "Words")
    )
    /** The labels of a text by the beginnings of lines, and in all other places. */
    const labelsOf = (text: string) => {
      const notes = [...text.matchAll(/^\[\^(\S+)\]:/gm)].map(([, it = ""]) => it)
      return { notes, references: [...text.matchAll(/Words\[\^(\S+?)\]/g)].map(([, it = ""]) => it) }
    }
    assert.deepStrictEqual(labelsOf("[^1]: Words[^2]"), { notes: ["1"], references: ["2"] })
    fc.assert(
      fc.property(fc.array(block, { maxLength: 8 }), fc.nat(8), fc.boolean(), (blocks, at, isPaid) => {
        const value = blocks.join("\n\n")
        const it = movedByWall(value, blocks.slice(0, at).join("\n\n").length, isPaid)
        if (it === undefined) return
        const all = labelsOf(value).notes
        for (const part of [value.slice(0, it.from) + it.insert + value.slice(it.to), it.moved]) {
          const { notes, references } = labelsOf(part)
          for (const label of references) if (all.includes(label)) assert.include(notes, label, part)
        }
      }),
      { numRuns: 1000 }
    )
  })

  it("A text is as long as its words, or as its letters where no spaces stand between words", () => {
    for (const [text, extent] of [
      ["", ""],
      ["— … **", ""],
      ["One", "1 word · 1 min"],
      ["Don't *stop* 2 times", "4 words · 1 min"],
      ["word ".repeat(1000), "1,000 words · 4 min"],
      ["\u6a4b".repeat(1000), "3 min"],
      ["-".repeat(200_000), ""]
    ] as const)
      assert.strictEqual(extentOf(text), extent)
  })
})
