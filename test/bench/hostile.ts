import { setTimeout as pause } from "node:timers/promises"
import autocannon from "autocannon"
import { answerOf, bearer, get, type LoadRequest, post } from "./operation.ts"
import { desk } from "./seed/desk.ts"
import type { Seed } from "./seed/seed.ts"
import type { Server } from "./servers.ts"

const AT_ONCE = 8
const PROBE_MILLIS = 5

const MEGABYTES = 5_000_000
const KEY = "8b9a1c1e-0d4f-4c60-9a34-6f1f5d0c2b11"

/** Sends a form of a page, as the browser of a stranger or of an author does. */
const form = (path: string, headers: Readonly<Record<string, string>>, body: string): LoadRequest => ({
  method: "POST",
  path,
  headers: { "sec-fetch-site": "same-origin", accept: "text/html", ...headers },
  body
})

const URL_ENCODED = { "content-type": "application/x-www-form-urlencoded" }
const MULTIPART = { "content-type": "multipart/form-data; boundary=x" }

const partsOf = (fields: Readonly<Record<string, string>>) =>
  `${Object.entries(fields)
    .map(([name, value]) => `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
    .join("")}--x--\r\n`

/** Forms with megabytes in a field, of each type and by each kind of sender. */
const formAttacks = (): Readonly<Record<string, LoadRequest>> => {
  const author = { cookie: desk.cookie }
  const title = (bytes: number) => `key=${KEY}&title=${'"'.repeat(bytes)}`
  const text = `key=${KEY}&free=${'"'.repeat(200_000)}&paid=${'"'.repeat(200_000)}`
  return {
    "form of 5 MB": form("/write", URL_ENCODED, title(MEGABYTES)),
    "form of 1.4 MB": form("/write", URL_ENCODED, title(1_400_000)),
    "form of texts": form("/write", URL_ENCODED, text),
    "form of &": form("/write", URL_ENCODED, "&".repeat(1_400_000)),
    "parts of 1.4 MB": form("/write", MULTIPART, partsOf({ key: KEY, title: '"'.repeat(1_400_000) })),
    "text/plain": form("/write", { "content-type": "text/plain" }, title(MEGABYTES)),
    "author's 5 MB": form("/write", { ...URL_ENCODED, ...author }, title(MEGABYTES)),
    "author's escapes": form(
      "/write",
      { ...URL_ENCODED, ...author },
      `key=${KEY}&free=${"%22".repeat(1_700_000)}`
    ),
    "author's parts": form(
      "/write",
      { ...MULTIPART, ...author },
      partsOf({ key: KEY, title: '"'.repeat(MEGABYTES) })
    ),
    "comment of 5 MB": form(
      "/respond/none",
      { ...URL_ENCODED, ...author },
      `key=${KEY}&text=${'"'.repeat(MEGABYTES)}`
    )
  }
}

/** Makes requests by which one stranger, or the holder of one key, holds up everyone else. */
const attacksOf = ({ readers: { key } }: Seed): Readonly<Record<string, LoadRequest>> => {
  const draft = (title: string) => ({ ...post("/api/v1/posts", {}, bearer(key)), body: `{"title":${title}}` })
  return {
    "nested JSON": draft("[".repeat(1_900_000)),
    "title of 3.8 MB": draft(`"${"é".repeat(1_900_000)}"`),
    "tools/list": post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/list" }),
    "unknown path": get("/nowhere"),
    "/metrics": get("/metrics"),
    "/docs": get("/docs"),
    ...formAttacks()
  }
}

/** Repeats requests of one connection for some time. Returns their milliseconds, the longest last. */
const repeating = async (server: Server, next: () => LoadRequest, seconds: number) => {
  const times: Array<number> = []
  for (const end = performance.now() + seconds * 1000; performance.now() < end; await pause(PROBE_MILLIS)) {
    const begin = performance.now()
    await answerOf(server, next())
    times.push(performance.now() - begin)
  }
  return times.toSorted((a, b) => a - b)
}

/** Measures ordinary reads, and how long the event loop answers nothing, beside this many attacks at once. */
const beside = async (
  server: Server,
  { posts }: Seed,
  attack: LoadRequest,
  count: number,
  seconds: number
) => {
  const { path, ...request } = attack
  const url = `${server.url}${path}`
  let turn = 0
  const [reads, probes] = await Promise.all([
    repeating(server, () => get(`/api/posts/${posts[turn++ % 100]!.id}`), seconds),
    repeating(server, () => get("/health/live"), seconds),
    // In a thread of its own, which holds up no measurement.
    count > 0 && autocannon({ url, ...request, connections: count, duration: seconds, workers: 1 })
  ])
  return { p95: reads[Math.floor(reads.length * 0.95)] ?? Number.NaN, longest: probes.at(-1) ?? Number.NaN }
}

/** Prints, for each attack, how much longer the reads of others take. */
export const hostile = async (server: Server, seed: Seed, seconds: number) => {
  console.log(
    `others' p95 beside ${AT_ONCE} attacks at once, and the longest answer of ${server.name} beside one`
  )
  for (const [name, attack] of Object.entries(attacksOf(seed))) {
    const { p95 } = await beside(server, seed, attack, 0, seconds)
    const { longest } = await beside(server, seed, attack, 1, seconds)
    const loaded = await beside(server, seed, attack, AT_ONCE, seconds)
    const times = `${p95.toFixed(1)} ms, loaded ${loaded.p95.toFixed(1)} ms, ×${(loaded.p95 / p95).toFixed(1)}`
    console.log(`${name.padEnd(18)} idle ${times}; longest ${longest.toFixed(0)} ms`)
  }
}
