import { randomUUID } from "node:crypto"
import { Agent, request } from "node:http"
import { resolve } from "node:path"
import { parseArgs } from "node:util"
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Console, Effect, Exit, Fiber, Layer, References, Scope } from "effect"
import { postgres, seeded } from "./database.ts"
import { bearer, get, type LoadRequest, post } from "./operation.ts"
import type { Seed } from "./seed/seed.ts"
import { nanoNode, type Server, service } from "./servers.ts"

const HELP = `Plays a rolling upgrade: two processes of an older checkout over one database, under reads and writes, are
replaced one by one with processes of this checkout.

  node test/bench/upgrade.ts --from <checkout> [--clients 8] [--seconds 10]

  --from     an older checkout, as "git worktree add" makes it, with its packages.
  --seconds  time for which each pair of processes runs.

It ends with 1 if a request failed.`

const { values: options } = parseArgs({
  options: {
    from: { type: "string" },
    clients: { type: "string", default: "8" },
    seconds: { type: "string", default: "10" },
    help: { type: "boolean", default: false }
  }
})

interface Answered {
  readonly phase: string
  readonly what: string
  /** Undefined when no process answered. */
  readonly status: number | undefined
  readonly millis: number
}

const send = (origin: string, { body, headers, method, path }: LoadRequest, agent: Agent) =>
  new Promise<number | undefined>((resolve) => {
    const sent = request(`${origin}${path}`, { method, agent, headers }, (response) => {
      response.resume().on("end", () => resolve(response.statusCode))
      response.on("error", () => resolve(undefined))
    })
    sent.on("error", () => resolve(undefined))
    sent.end(body)
  })

/** The requests of a client, in turn. Each write has a key, so that a proxy may repeat it. */
const requestsOf = (
  { keys, posts }: Seed,
  n: number
): ReadonlyArray<readonly [string, () => LoadRequest]> => {
  const key = keys[n % keys.length] ?? ""
  let turn = n
  const draft = () => {
    const title = `An upgrade ${randomUUID()}`
    const creation = { primaryCategoryId: 1, creationMethod: "human_written", creationAttested: true }
    const body = { title, description: "A draft", freeContentMarkdown: "Text", ...creation }
    return post("/api/v1/posts", body, { ...bearer(key), "idempotency-key": randomUUID() })
  }
  return [
    ["list", () => get("/api/posts")],
    ["page", () => get(posts[(turn += 97) % posts.length]?.page ?? "/")],
    ["own list", () => get("/api/v1/posts", bearer(key))],
    ["draft", draft]
  ]
}

/** Sends requests one after the other, as a proxy does: one without an answer goes to the next process. */
const asking = async (
  seed: Seed,
  n: number,
  state: { origins: ReadonlyArray<string>; phase: string; isOver: boolean }
) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 2 })
  const answers: Array<Answered> = []
  const requests = requestsOf(seed, n)
  for (let turn = n; !state.isOver; turn += 1) {
    const [what, make] = requests[turn % requests.length] ?? requests[0]!
    const { phase } = state
    const next = make()
    const began = performance.now()
    let status: number | undefined
    const { origins } = state
    for (let index = 0; index < origins.length && status === undefined; index += 1)
      status = await send(origins[(turn + index) % origins.length] ?? "", next, agent)
    answers.push({ phase, what, status, millis: performance.now() - began })
  }
  agent.destroy()
  return answers
}

const table = (answers: ReadonlyArray<Answered>) =>
  [...Map.groupBy(answers, ({ phase, what }) => `${phase}, ${what}`)].map(([group, all]) => {
    const times = all.map(({ millis }) => millis).toSorted((a, b) => a - b)
    const at = (part: number) => (times[Math.floor((times.length - 1) * part)] ?? 0).toFixed(0)
    const failed = all.filter(({ status = 0 }) => status < 200 || status > 299).length
    return `${group}: ${all.length} requests, ${failed} failed, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`
  })

const upgrade = Effect.gen(function* () {
  if (options.from === undefined) return yield* Effect.die(new Error("Add --from <checkout>"))
  const seconds = `${Number(options.seconds)} seconds` as const
  const old = resolve(options.from)
  const here = resolve(import.meta.dirname, "../..")
  const { data, database, seed } = yield* seeded(yield* postgres, { name: "upgrade", path: old })
  const node = yield* nanoNode(database)

  const start = Effect.fnUntraced(function* (name: string, path: string) {
    const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
    const server: Server = yield* Scope.provide(service({ name, path, database, data }, node, true), scope)
    return { url: server.url, stop: Scope.close(scope, Exit.void) }
  })

  let running = yield* Effect.all([start("old 1", old), start("old 2", old)])
  const state = { origins: running.map(({ url }) => url), phase: "two old", isOver: false }
  const clients = Array.from({ length: Number(options.clients) }, (_, n) => asking(seed, n, state))
  const load = yield* Effect.forkChild(Effect.promise(() => Promise.all(clients)))
  yield* Effect.sleep(seconds)
  for (const phase of ["old and new", "two new"]) {
    state.phase = `change to ${phase}`
    const [oldest, other] = running
    const fresh = yield* start(phase, here)
    state.origins = [other.url, oldest.url, fresh.url]
    yield* oldest.stop
    running = [other, fresh]
    state.origins = running.map(({ url }) => url)
    state.phase = phase
    yield* Effect.sleep(seconds)
  }
  state.isOver = true
  const answers = (yield* Fiber.join(load)).flat()
  for (const line of table(answers)) yield* Console.log(line)
  const failed = answers.filter(({ status = 0 }) => status < 200 || status > 299)
  yield* Console.log(`${answers.length} requests, ${failed.length} failed`)
  for (const it of failed.slice(0, 10)) yield* Console.log(JSON.stringify(it))
  if (failed.length > 0) yield* Effect.sync(() => (process.exitCode = 1))
}).pipe(
  Effect.scoped,
  Effect.provide([NodeServices.layer, Layer.succeed(References.MinimumLogLevel, "Warn")])
)

if (options.help) console.log(HELP)
else NodeRuntime.runMain(upgrade)
