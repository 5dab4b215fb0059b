import { appendFileSync, existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { HOME } from "./machines.ts"

interface Measure {
  readonly fault: string
  readonly measure: string
  readonly value: number
  /** The largest value that is well; null for a number that only tells. */
  readonly bound: number | null
}

const isWell = ({ bound, value }: Measure) => bound === null || value <= bound

const file = join(HOME, "measured.jsonl")

/** The numbers of one fault. All are written down before one that is out of bounds fails the test. */
export const measuring = (fault: string) => {
  const all: Array<Measure> = []
  const note = (measure: string, value: number, bound: number | null) => {
    const row = { fault, measure, value: Math.round(value * 1000) / 1000, bound }
    all.push(row)
    appendFileSync(file, `${JSON.stringify(row)}\n`)
  }
  return {
    /** Notes a number, and the largest that is well. */
    atMost: (measure: string, value: number, bound: number) => note(measure, value, bound),
    /** Notes a number that only tells. */
    told: (measure: string, value: number) => note(measure, value, null),
    /** Notes the number of things that must not be, and prints them. */
    none: (measure: string, things: ReadonlyArray<unknown>) => {
      if (things.length > 0) console.log(fault, measure, things.slice(0, 10))
      note(measure, things.length, 0)
    },
    /** Fails the test when a number was out of bounds. */
    judge: () =>
      assert.deepStrictEqual(
        all.filter((row) => !isWell(row)),
        []
      )
  }
}
export type Measuring = ReturnType<typeof measuring>

/** Prints the numbers of the run as a table, and then as a line of JSON. */
export const printTable = () => {
  if (!existsSync(file)) return
  const rows = readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line): Measure => JSON.parse(line))
  const cells = [
    ["fault", "measure", "value", "bound", ""],
    ...rows.map((row) => [
      row.fault,
      row.measure,
      `${row.value}`,
      `${row.bound ?? ""}`,
      isWell(row) ? "" : "out of bounds"
    ])
  ]
  const widths = cells[0]!.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)))
  for (const row of cells)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join("  ")
        .trimEnd()
    )
  console.log(JSON.stringify(rows))
}
