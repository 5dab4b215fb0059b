import type { ServerResult } from "./report.ts"
import type { ServerName } from "./servers.ts"

/** A bound of one number of a server, as a multiple of the same number of another. */
export interface Target {
  readonly server: ServerName
  readonly of: ServerName
  /** True when the other number is of the operation beside this one. */
  readonly ofBeside?: true
  readonly measure: "requestsPerSecond" | "cpuMicros"
  readonly least?: number
  readonly most?: number
}

const names = { requestsPerSecond: "requests/s", cpuMicros: "processor time" } as const

/** The cost of every answer, beside a server that only sends a text. */
export const live: ReadonlyArray<Target> = [
  { server: "pennypress", of: "node:http", measure: "requestsPerSecond", least: 0.6 }
]

/** Public reads without the store. */
const cold: ReadonlyArray<Target> = [
  { server: "cold", of: "fastify", measure: "requestsPerSecond", least: 0.7 },
  { server: "cold", of: "fastify", measure: "cpuMicros", most: 1.7 }
]

/** Public reads with the store, of things that were read before. */
export const keptRead: ReadonlyArray<Target> = [
  ...cold,
  { server: "pennypress", of: "fastify", measure: "cpuMicros", most: 0.5 }
]

/** The public reads of which there are most. */
export const hotRead: ReadonlyArray<Target> = [
  ...keptRead,
  { server: "pennypress", of: "node:http", measure: "requestsPerSecond", least: 3 }
]

export const mixed: ReadonlyArray<Target> = [
  { server: "pennypress", of: "node:http", measure: "requestsPerSecond", least: 2 }
]

export const create: ReadonlyArray<Target> = [
  { server: "pennypress", of: "fastify", measure: "requestsPerSecond", least: 0.9 },
  { server: "pennypress", of: "fastify", measure: "cpuMicros", most: 1.7 }
]

/** A ZIP, beside a server that stores it durably and checks nothing. */
export const archive: ReadonlyArray<Target> = [
  { server: "pennypress", of: "fastify-multipart", measure: "requestsPerSecond", least: 0.5 }
]

/** A feed, beside the JSON list of the same Posts. It has 20 whole texts, so that its bytes are several times as many. */
export const feed: ReadonlyArray<Target> = [
  { server: "pennypress", of: "cold", ofBeside: true, measure: "requestsPerSecond", least: 1.5 }
]

/** Pages, beside the JSON that shows the same. */
export const page: ReadonlyArray<Target> = [
  ...feed,
  { server: "pennypress", of: "pennypress", ofBeside: true, measure: "requestsPerSecond", least: 0.8 },
  { server: "cold", of: "cold", ofBeside: true, measure: "requestsPerSecond", least: 0.6 }
]

export const nameOf = ({ least, measure, most, of, ofBeside, server }: Target): string =>
  `${server} ${least === undefined ? `at most ${most}` : `at least ${least}`} of ${of}${
    ofBeside === true ? " in JSON" : ""
  } in ${names[measure]}`

/** Returns the multiple that a target speaks of; undefined when one of its servers was not measured. */
export const multipleOf = (
  { measure, of, ofBeside, server }: Target,
  servers: ReadonlyArray<ServerResult>,
  beside: ReadonlyArray<ServerResult> = []
): number | undefined => {
  const valueOf = (all: ReadonlyArray<ServerResult>, name: ServerName) =>
    all.find((it) => it.server === name)?.[measure]
  const ours = valueOf(servers, server)
  const theirs = valueOf(ofBeside === true ? beside : servers, of)
  return ours === undefined || theirs === undefined ? undefined : ours / theirs
}

export const isMissed = ({ least = 0, most = Infinity }: Target, multiple: number): boolean =>
  multiple < least || multiple > most
