import type { Round } from "./load.ts"
import type { Operation } from "./operation.ts"
import { median, quantile } from "./quantiles.ts"
import type { ServerName } from "./servers.ts"
import { isMissed, multipleOf, nameOf, type Target } from "./targets.ts"

const MEMORY_MAX_MEGABYTES = 300

export interface ServerResult {
  readonly server: ServerName
  /** Median of the rounds. */
  readonly requestsPerSecond: number
  readonly rounds: ReadonlyArray<number>
  readonly p50Millis: number
  readonly p99Millis: number
  readonly peakMegabytes: number
  /** Processor time of the server's process for one request. */
  readonly cpuMicros: number
}

export interface OperationResult {
  readonly operation: string
  readonly title: string
  readonly servers: ReadonlyArray<ServerResult>
  /** The operation that was measured beside this one, in the same rounds. */
  readonly beside?: ReadonlyArray<ServerResult>
  readonly targets: ReadonlyArray<Target>
  readonly ownAlone?: string
  /** Share of the public reads that the store answered. */
  readonly hitRatio?: number
}

const resultOf = (server: ServerName, rounds: ReadonlyArray<Round>): ServerResult => {
  const latencies = rounds.flatMap((round) => round.latencies)
  const rates = rounds.map(({ requests, seconds }) => requests / seconds)
  return {
    server,
    requestsPerSecond: median(rates),
    rounds: rates,
    p50Millis: quantile(latencies, 0.5),
    p99Millis: quantile(latencies, 0.99),
    peakMegabytes: Math.max(...rounds.map((round) => round.peakMegabytes)),
    cpuMicros: median(rounds.map(({ cpuSeconds, requests }) => (cpuSeconds * 1e6) / requests))
  }
}

/** Summarises one operation from the rounds of every server. */
export const summarise = (
  { name, ownAlone, targets = [], title }: Pick<Operation, "name" | "ownAlone" | "targets" | "title">,
  rounds: ReadonlyMap<ServerName, ReadonlyArray<Round>>,
  {
    beside,
    hitRatio
  }: {
    readonly beside?: ReadonlyMap<ServerName, ReadonlyArray<Round>> | undefined
    readonly hitRatio?: number | undefined
  } = {}
): OperationResult => ({
  operation: name,
  title,
  servers: [...rounds].map(([server, all]) => resultOf(server, all)),
  ...(beside === undefined ? {} : { beside: [...beside].map(([server, all]) => resultOf(server, all)) }),
  targets,
  ...(ownAlone === undefined ? {} : { ownAlone }),
  ...(hitRatio === undefined ? {} : { hitRatio })
})

const columns = ["server", "req/s", "p50 ms", "p99 ms", "CPU µs/req", "peak MB"]

const line = (cells: ReadonlyArray<string>) =>
  cells.map((cell, index) => (index === 0 ? cell.padEnd(17) : cell.padStart(12))).join("")

/** Prints the table of an operation: each server's numbers, and their multiples of the references' requests and times. */
export const tableOf = (result: OperationResult): string => {
  const { beside = [], hitRatio, ownAlone, servers, targets, title } = result
  const references = servers.filter(({ server }) => server !== "pennypress" && server !== "cold")
  const multiples = (it: ServerResult) =>
    references.flatMap((reference) =>
      reference === it
        ? ["", ""]
        : [
            (it.requestsPerSecond / reference.requestsPerSecond).toFixed(2),
            (it.cpuMicros / reference.cpuMicros).toFixed(2)
          ]
    )
  const rowOf = (it: ServerResult, name: string) =>
    line([
      name,
      it.requestsPerSecond.toFixed(0),
      it.p50Millis.toFixed(1),
      it.p99Millis.toFixed(1),
      it.cpuMicros.toFixed(0),
      it.peakMegabytes.toFixed(0),
      ...multiples(it)
    ])
  const rows = [
    ...servers.map((it) => rowOf(it, it.server)),
    ...beside.map((it) => rowOf(it, `${it.server} JSON`))
  ]
  const ratios = targets.flatMap((target) => {
    const multiple = target.ofBeside === true ? multipleOf(target, servers, beside) : undefined
    return multiple === undefined ? [] : [`${multiple.toFixed(2)}: ${nameOf(target)}`]
  })
  const headings = references.flatMap(({ server }) => [`/ ${server}`, "in CPU"])
  const wanted = [...targets.map(nameOf), `less than ${MEMORY_MAX_MEGABYTES} MB`].join("; ")
  const alone = ownAlone === undefined ? "" : `; not compared, as ${ownAlone}`
  const hits =
    hitRatio === undefined ? [] : [`the store answered ${(100 * hitRatio).toFixed(1)} % of the reads`]
  return [
    `${title} (target: ${wanted}${alone})`,
    line([...columns, ...headings]),
    ...rows,
    ...ratios,
    ...hits
  ].join("\n")
}

/** Names the missed targets. */
const missed = ({ beside, operation, servers, targets }: OperationResult): ReadonlyArray<string> => {
  const multiples = targets.flatMap((target) => {
    const multiple = multipleOf(target, servers, beside)
    return multiple === undefined || !isMissed(target, multiple)
      ? []
      : [`${operation} ${multiple.toFixed(2)} (${nameOf(target)})`]
  })
  const peak = Math.max(
    ...servers.filter(({ server }) => server === "pennypress").map((it) => it.peakMegabytes)
  )
  const memory =
    peak < MEMORY_MAX_MEGABYTES ? [] : [`${operation} ${peak.toFixed(0)} MB (target ${MEMORY_MAX_MEGABYTES})`]
  return [...multiples, ...memory]
}

/** Prints the closing line. */
export const verdictOf = (
  results: ReadonlyArray<OperationResult>,
  alsoMissed: ReadonlyArray<string>
): string => {
  const all = [...results.flatMap(missed), ...alsoMissed]
  return all.length === 0 ? "bench: every target is met" : `bench: short of target: ${all.join("; ")}`
}
