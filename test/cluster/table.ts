import { appendFileSync, existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { HOME } from "./machines.ts"

interface Measure {
  readonly fault: string
  readonly measure: string
  readonly value: number
  /** The largest value that is well. */
  readonly bound: number
}

const file = join(HOME, "measured.jsonl")

/** The numbers of one fault. All are written down before the first that is out of bounds fails the test. */
export const measuring = (fault: string) => {
  const all: Array<Measure> = []
  return {
    /** Notes a number and the largest that is well; `evidence` says more of one that is not. */
    atMost: (measure: string, value: number, bound: number, evidence: unknown = undefined) => {
      const rounded = Math.round(value * 1000) / 1000
      all.push({ fault, measure, value: rounded, bound })
      appendFileSync(file, `${JSON.stringify({ fault, measure, value: rounded, bound })}\n`)
      if (value > bound && evidence !== undefined) console.log(fault, measure, evidence)
    },
    /** Fails the test when a number was out of bounds. */
    judge: () => {
      const bad = all.filter(({ bound, value }) => !(value <= bound))
      assert.deepStrictEqual(bad, [])
    }
  }
}

/** Prints the numbers of the run as a table, and then as a line of JSON. */
export const printTable = () => {
  if (!existsSync(file)) return
  const rows = readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line): Measure => JSON.parse(line))
  const cells = [
    ["fault", "measure", "value", "bound", ""],
    ...rows.map(({ bound, fault, measure, value }) => [
      fault,
      measure,
      `${value}`,
      Number.isFinite(bound) ? `${bound}` : "",
      value <= bound ? "" : "out of bounds"
    ])
  ]
  const widths = cells[0]!.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)))
  for (const row of cells) console.log(row.map((cell, column) => cell.padEnd(widths[column]!)).join("  ").trimEnd())
  console.log(JSON.stringify(rows))
}
