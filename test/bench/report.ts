import type { Operation, Round } from "./load.ts"
import { type ServerName, serverNames } from "./servers.ts"

/** Of the requests per second of Fastify, at least. */
const READ_RATIO_MIN = 0.85
const WRITE_RATIO_MIN = 0.95
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
  /** Our requests per second by those of a reference server. */
  readonly ratios: Readonly<Record<string, number>>
  readonly ratioMin: number
}

const quantile = (numbers: ReadonlyArray<number>, q: number) => {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0
}

/** The middle one of an odd number, and the mean of the middle two of an even one. */
const median = (numbers: ReadonlyArray<number>) => {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2
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

/** The numbers of one operation from the rounds of every server. */
export const summarise = (
  { isRead, name, title }: Operation,
  rounds: ReadonlyMap<ServerName, ReadonlyArray<Round>>
): OperationResult => {
  const servers = serverNames.map((server) => resultOf(server, rounds.get(server) ?? []))
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
    ratioMin: isRead ? READ_RATIO_MIN : WRITE_RATIO_MIN
  }
}

const columns = ["server", "req/s", "p50 ms", "p99 ms", "CPU µs/req", "peak MB", "ours/theirs"]

const line = (cells: ReadonlyArray<string>) =>
  cells.map((cell, index) => (index === 0 ? cell.padEnd(11) : cell.padStart(12))).join("")

/** One table per operation. */
export const tableOf = ({ ratioMin, ratios, servers, title }: OperationResult): string => {
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
  const target = `target: at least ${ratioMin} of fastify, less than ${MEMORY_MAX_MEGABYTES} MB`
  return [`${title} (${target})`, line(columns), ...rows].join("\n")
}

/** What is short of its target; none when every target is met. */
const missed = ({ operation, ratioMin, ratios, servers }: OperationResult): ReadonlyArray<string> => {
  const ratio = ratios["fastify"] ?? 0
  const peak = servers[0]?.peakMegabytes ?? 0
  return [
    ...(ratio < ratioMin ? [`${operation} ${ratio.toFixed(2)} of fastify (target ${ratioMin})`] : []),
    ...(peak >= MEMORY_MAX_MEGABYTES
      ? [`${operation} ${peak.toFixed(0)} MB (target ${MEMORY_MAX_MEGABYTES})`]
      : [])
  ]
}

/** The closing line. */
export const verdictOf = (results: ReadonlyArray<OperationResult>): string => {
  const all = results.flatMap(missed)
  const mean = sum(results.map(({ ratios }) => ratios["fastify"] ?? 0)) / results.length
  const short = all.length === 0 ? "every target is met" : `short of target: ${all.join("; ")}`
  return `bench: ${mean.toFixed(2)} of fastify on average; ${short}`
}
