import type { Round } from "./load.ts"
import type { Operation } from "./operations.ts"
import { median, quantile } from "./quantiles.ts"
import type { ServerName } from "./servers.ts"

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
  /** Our requests per second divided by those of each reference server. */
  readonly ratios: Readonly<Record<string, number>>
  readonly ratioMin?: number
  readonly ownAlone?: string
}

const sum = (numbers: ReadonlyArray<number>) => numbers.reduce((a, b) => a + b, 0)

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
  { name, ownAlone, ratioMin, title }: Pick<Operation, "name" | "ownAlone" | "ratioMin" | "title">,
  rounds: ReadonlyMap<ServerName, ReadonlyArray<Round>>
): OperationResult => {
  const servers = [...rounds].map(([server, all]) => resultOf(server, all))
  const [ours, ...others] = servers
  const ratios = others.map(({ requestsPerSecond, server }) => [
    server,
    (ours?.requestsPerSecond ?? 0) / requestsPerSecond
  ])
  return {
    operation: name,
    title,
    servers,
    ratios: Object.fromEntries(ratios),
    ...(ratioMin === undefined ? {} : { ratioMin }),
    ...(ownAlone === undefined ? {} : { ownAlone })
  }
}

const columns = ["server", "req/s", "p50 ms", "p99 ms", "CPU µs/req", "peak MB", "ours/theirs"]

const line = (cells: ReadonlyArray<string>) =>
  cells.map((cell, index) => (index === 0 ? cell.padEnd(17) : cell.padStart(12))).join("")

/** Prints the table of an operation. */
export const tableOf = ({ ownAlone, ratioMin, ratios, servers, title }: OperationResult): string => {
  const rows = servers.map((it) =>
    line([
      it.server,
      it.requestsPerSecond.toFixed(0),
      it.p50Millis.toFixed(1),
      it.p99Millis.toFixed(1),
      it.cpuMicros.toFixed(0),
      it.peakMegabytes.toFixed(0),
      ratios[it.server]?.toFixed(2) ?? ""
    ])
  )
  const ratio = ratioMin === undefined ? "" : `at least ${ratioMin} of fastify and `
  const target = `target: ${ratio}less than ${MEMORY_MAX_MEGABYTES} MB`
  const alone = ownAlone === undefined ? "" : `; not compared, as ${ownAlone}`
  return [`${title} (${target}${alone})`, line(columns), ...rows].join("\n")
}

/** Names the missed targets. */
const missed = ({ operation, ratioMin, ratios, servers }: OperationResult): ReadonlyArray<string> => {
  const ratio = ratios["fastify"] ?? 0
  const peak = servers[0]?.peakMegabytes ?? 0
  return [
    ...(ratioMin !== undefined && ratio < ratioMin
      ? [`${operation} ${ratio.toFixed(2)} of fastify (target ${ratioMin})`]
      : []),
    ...(peak >= MEMORY_MAX_MEGABYTES
      ? [`${operation} ${peak.toFixed(0)} MB (target ${MEMORY_MAX_MEGABYTES})`]
      : [])
  ]
}

/** Prints the closing line. */
export const verdictOf = (
  results: ReadonlyArray<OperationResult>,
  alsoMissed: ReadonlyArray<string>
): string => {
  const all = [...results.flatMap(missed), ...alsoMissed]
  const ratios = results.flatMap(({ ratios }) => ratios["fastify"] ?? [])
  const short = all.length === 0 ? "every target is met" : `short of target: ${all.join("; ")}`
  const compared =
    ratios.length === 0 ? "" : `${(sum(ratios) / ratios.length).toFixed(2)} of fastify on average; `
  return `bench: ${compared}${short}`
}
