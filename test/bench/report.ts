import type { Numbers, Result } from "./compare.ts"
import type { Rest } from "./rest.ts"

/** Writes a number with about three digits. */
const figure = (value = Number.NaN): string => {
  if (!Number.isFinite(value)) return ""
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2
  return value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

const millis = (value: number) => (Number.isFinite(value) ? `${figure(value)} ms` : "")

/** Names an operation, and says that it runs without the store of answers. */
const titleOf = ({ isCold, operation }: Result) => `${operation.title}${isCold ? ", cold" : ""}`

type Column<A> = readonly [heading: string, cell: (value: A) => string]

const columns: ReadonlyArray<Column<Numbers>> = [
  ["requests/s", (it) => figure(it.perSecond)],
  ["processor µs", (it) => figure(it.cpuMicros)],
  ["p50", (it) => millis(it.p50Millis)],
  ["p99", (it) => millis(it.p99Millis)],
  ["of Fastify", (it) => figure(it.ofFastify)],
  ["statements", (it) => figure(it.statements)]
]

/** Columns that only the terminal shows. */
const additional: ReadonlyArray<Column<Numbers>> = [
  ["of against", (it) => figure(it.ofAgainst)],
  ["peak MB", (it) => figure(it.peakMegabytes)]
]

const padded = ([first = "", ...cells]: ReadonlyArray<string>) =>
  first.padEnd(16) + cells.map((cell) => cell.padStart(13)).join("")

/** Prints the numbers of an operation: a line for each server. */
export const printed = (result: Result): string => {
  const shown = [...columns, ...additional]
  const rows = result.numbers.map((it) => padded([it.server, ...shown.map(([, cell]) => cell(it))]))
  return [
    `${result.operation.name}: ${titleOf(result)}`,
    padded(["", ...shown.map(([name]) => name)]),
    ...rows
  ].join("\n")
}

/** Prints the numbers of an idle process. */
export const printedRest = ({ cpuMillis, residentMegabytes, server, statementsPerSecond }: Rest): string =>
  `rest: ${server} used ${figure(cpuMillis)} ms of processor time in 30 s, ${figure(residentMegabytes)} MB, ` +
  `${figure(statementsPerSecond)} statements/s`

const row = (cells: ReadonlyArray<string>) => `| ${cells.join(" | ")} |`

const table = (headings: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>) =>
  [row(headings), row(headings.map((_, n) => (n === 0 ? "---" : "---:"))), ...rows.map(row)].join("\n")

/** Writes the tables of the README. */
export const markdownOf = (results: ReadonlyArray<Result>, idle: Rest | undefined): string => {
  const operations = table(
    ["operation", ...columns.map(([name]) => name)],
    results.map((it) => [
      `${titleOf(it)} (\`${it.operation.name}\`)`,
      ...columns.map(([, cell]) => cell(it.numbers[0]!))
    ])
  )
  const peaks = results.filter(({ isCold }) => !isCold).map(({ numbers }) => numbers[0]?.peakMegabytes ?? 0)
  const process = table(
    ["process", "measured"],
    [
      ["processor time in 30 s at rest", millis(idle?.cpuMillis ?? Number.NaN)],
      ["statements a second at rest", figure(idle?.statementsPerSecond)],
      ["resident memory at rest", `${figure(idle?.residentMegabytes)} MB`],
      ["resident memory under load, the most of any operation", `${figure(Math.max(...peaks))} MB`]
    ]
  )
  return `${operations}\n\n${process}`
}
