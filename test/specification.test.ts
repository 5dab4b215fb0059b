import { globSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"

/** The numbers of headings and rules: `4`, `4.3`, and `4.3.7` for the seventh item under the heading of 4.3. */
const numbersOf = (markdown: string) => {
  const numbers = new Set<string>()
  let section = ""
  for (const line of markdown.split("\n")) {
    const heading = /^##+ (\d+(?:\.\d+[a-z]?)?)\.? /.exec(line)
    const item = /^(\d+)\. /.exec(line)
    if (heading !== null) numbers.add((section = heading[1] ?? ""))
    else if (item !== null) numbers.add(`${section}.${item[1]}`)
  }
  return numbers
}

const CITATION = /\bspec(?:ification)? ((?:part )?\d(?:\.\d+[a-z]?)*(?:(?:, | and )\d(?:\.\d+[a-z]?)+)*)/g

const citationsOf = (text: string) =>
  [...text.matchAll(CITATION)].flatMap(([, cited = ""]) => cited.replace("part ", "").split(/, | and /))

describe("the specification", () => {
  const numbers = numbersOf(readFileSync("schemas/specification.md", "utf8"))

  it("The specification has its nine parts, and every rule once", () => {
    for (let part = 1; part <= 9; part++) assert.isTrue(numbers.has(String(part)))
    assert.isAbove(numbers.size, 130)
  })

  it("Every rule that is cited exists", () => {
    const missing = globSync("{src,schemas,layers,test,migrations}/**/*.{ts,md}")
      .filter((file) => !file.endsWith("specification.md"))
      .flatMap((file) =>
        citationsOf(readFileSync(file, "utf8"))
          .filter((cited) => !numbers.has(cited))
          .map((cited) => `${file}: spec ${cited}`)
      )
    assert.deepStrictEqual(missing, [])
  })
})
