import { setTimeout as pause } from "node:timers/promises"
import { answerOf, bearer, get, type LoadRequest, post } from "./operation.ts"
import type { Seed } from "./seed/seed.ts"
import type { Server } from "./servers.ts"

export const HOSTILE = "hostile"

const AT_ONCE = 8
const PROBE_MILLIS = 5

const raw = (path: string, body: string, key: string): LoadRequest => ({
  ...post(path, {}, bearer(key)),
  body
})

/** What one stranger, or the holder of one key, sends to hold up everyone else. */
const attacksOf = ({ readers: { key } }: Seed): Readonly<Record<string, LoadRequest>> => ({
  "nested JSON": raw("/api/v1/posts", `{"title":${"[".repeat(1_900_000)}`, key),
  "title of 3.8 MB": raw("/api/v1/posts", `{"title":"${"é".repeat(1_900_000)}"}`, key),
  "tools/list": post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/list" }),
  "unknown path": get("/nowhere"),
  "/metrics": get("/metrics"),
  "/docs": get("/docs")
})

const p95 = (times: ReadonlyArray<number>) => times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0

/** Repeats requests of one connection until it is told to stop. Returns the milliseconds of each. */
const repeating = async (server: Server, next: () => LoadRequest, isOver: () => boolean, millis = 0) => {
  const times: Array<number> = []
  while (!isOver()) {
    const begin = performance.now()
    await answerOf(server, next())
    times.push(performance.now() - begin)
    if (millis > 0) await pause(millis)
  }
  return times
}

/** Measures ordinary reads, and how long the event loop answers nothing, beside this many attacks at once. */
const beside = async (server: Server, { posts }: Seed, attack: LoadRequest, count: number, seconds: number) => {
  const end = performance.now() + seconds * 1000
  const isOver = () => performance.now() > end
  let turn = 0
  const read = () => get(`/api/posts/${posts[turn++ % 100]!.id}`)
  const [reads, probes] = await Promise.all([
    repeating(server, read, isOver, 1),
    repeating(server, () => get("/health/live"), isOver, PROBE_MILLIS),
    ...Array.from({ length: count }, () => repeating(server, () => attack, isOver))
  ])
  return { p95: p95(reads), longest: Math.max(...probes) }
}

/** Prints, for each attack, how much longer the reads of others take. */
export const hostile = async (server: Server, seed: Seed, seconds: number, print: (line: string) => void) => {
  print(`${HOSTILE}: others' p95 beside ${AT_ONCE} at once, and the longest answer beside one`)
  for (const [name, attack] of Object.entries(attacksOf(seed))) {
    const idle = await beside(server, seed, attack, 0, seconds)
    const one = await beside(server, seed, attack, 1, seconds)
    const many = await beside(server, seed, attack, AT_ONCE, seconds)
    const times = [idle.p95, many.p95, many.p95 / idle.p95].map((it) => it.toFixed(1).padStart(8))
    print(`${server.name} ${name.padEnd(18)} idle${times[0]} ms, loaded${times[1]} ms, ×${times[2]}; longest ${one.longest.toFixed(0)} ms`)
  }
}
