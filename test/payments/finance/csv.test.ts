import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { csvLine } from "../../../src/platform/csv/csvLine.ts"

/** Reads lines as RFC 4180 has them. */
const cellsOf = (text: string): ReadonlyArray<ReadonlyArray<string>> => {
  const lines: Array<Array<string>> = [[]]
  let at = 0
  while (at < text.length) {
    let cell = ""
    if (text[at] === '"') {
      for (at++; !(text[at] === '"' && text[at + 1] !== '"'); at++) {
        if (text[at] === '"') at++
        cell += text[at]
      }
      at++
    } else {
      for (; text[at] !== "," && !text.startsWith("\r\n", at); at++) cell += text[at]
    }
    lines.at(-1)!.push(cell)
    if (text[at] === ",") at++
    else {
      at += 2
      if (at < text.length) lines.push([])
    }
  }
  return lines
}

const cell = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({
    unit: fc.constantFrom("=", "+", "-", "@", "＝", "＠", "\t", "\r", "\n", '"', ",", ";", "'", "a", "1")
  })
)

describe("the cells of an export", () => {
  it("Cells come back unchanged, except for a quote mark before a formula", () => {
    fc.assert(
      fc.property(fc.array(fc.array(cell, { minLength: 1, maxLength: 5 }), { minLength: 1 }), (table) => {
        const read = cellsOf(table.map(csvLine).join(""))
        assert.deepStrictEqual(
          read,
          table.map((line) => line.map((text) => text.replaceAll(/(^|;)(?=[=+\-@\t\r\n＝＋－＠])/gu, "$1'")))
        )
        for (const text of read.flat()) {
          for (const part of text.split(";")) assert.notMatch(part, /^[=+\-@\t\r\n＝＋－＠]/)
        }
        // The marks alone are added.
        const bare = (text: string) => text.replaceAll("'", "")
        assert.deepStrictEqual(
          read.map((line) => line.map(bare)),
          table.map((line) => line.map(bare))
        )
      })
    )
  })

  it("Cells are quoted only where they need it", () => {
    assert.strictEqual(csvLine(["a", 'b"c', "d,e", "=1+1", ""]), `a,"b""c","d,e",'=1+1,\r\n`)
  })
})
