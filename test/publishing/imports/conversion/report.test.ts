import { assert, describe, it } from "@effect/vitest"
import { Report, reportCodes } from "../../../../src/publishing/imports/conversion/report.ts"

describe("the report of an item", () => {
  it("Each code has a sentence and one severity", () => {
    for (const [code, [severity, message]] of Object.entries(reportCodes)) {
      assert.match(code, /^[a-z_]{4,40}$/)
      assert.match(message, /^[A-Z][^\n]{10,120}[^.]$/)
      if (/_dropped$|_removed$/.test(code) && code !== "heading_removed") assert.strictEqual(severity, "lost")
    }
  })

  it("A report has 200 lines with short excerpts, first the reason why an item is not brought, and counts the others", () => {
    const report = new Report()
    for (let at = 0; at < 250; at++) report.add("embed_link", "free", `${"😀".repeat(200)} ${at}`)
    assert.strictEqual(report.lines.length, 200)
    assert.strictEqual(report.unreported, 50)
    for (const { excerpt } of report.lines) {
      assert.isAtMost(excerpt.length, 120)
      assert.isTrue(excerpt.isWellFormed())
    }
    report.add("page", "meta")
    assert.deepStrictEqual([report.lines[0]?.code, report.lines.length, report.unreported], ["page", 200, 51])
  })
})
