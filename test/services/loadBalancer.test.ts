import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { readFileSync, writeFileSync } from "node:fs"
import { createServer as createHttpServer } from "node:http"
import { connect, createServer } from "node:net"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { freePort } from "../../layers/postgres/embedded/server.ts"
import { temporaryDirectory } from "../support/directories.ts"
import { eventually } from "../support/eventually.ts"
import { listening } from "../support/listening.ts"
import { get } from "../wire/sockets.ts"

const FILE = "layers/deploy/several/haproxy.cfg"

/** A service of one process, as the load balancer sees it. */
const service = Effect.fnUntraced(function* (name: string) {
  const state = { writes: true, reads: true, forwardedFor: "" }
  const server = createHttpServer((request, response) => {
    const isReads = request.url?.endsWith("?for=reads") === true
    const isReady = isReads ? state.reads : state.writes
    if (request.url?.startsWith("/health/ready") === true) response.writeHead(isReady ? 200 : 503).end()
    else {
      state.forwardedFor = `${request.headers["x-forwarded-for"]} ${request.headers["forwarded"]}`
      response.writeHead(state.writes || request.method === "GET" ? 200 : 503).end(name)
    }
  })
  const port = yield* listening(server)
  const stop = Effect.sync(() => {
    server.close()
    server.closeAllConnections()
  })
  return { name, port, state, stop }
})

/** A PostgreSQL that names itself, and its Patroni. */
const postgres = Effect.fnUntraced(function* (name: string) {
  const state = { isPrimary: false, checks: 0 }
  const patroni = yield* listening(
    createHttpServer((request, response) => {
      state.checks += 1
      response.writeHead(request.url === "/primary" && state.isPrimary ? 200 : 503).end()
    })
  )
  const server = createServer((socket) => socket.on("error", () => {}).write(name))
  return { state, patroni, port: yield* listening(server) }
})

/** HAProxy with our file over servers of this machine, which it asks more often. */
const balanced = Effect.gen(function* () {
  const services = [yield* service("one"), yield* service("two")] as const
  const databases = [yield* postgres("primary"), yield* postgres("standby")] as const
  databases[0].state.isPrimary = true
  const [http, database] = [yield* freePort, yield* freePort]
  let text = readFileSync(FILE, "utf8")
    .replace("bind :4020", `bind 127.0.0.1:${http}`)
    .replace("bind :5432", `bind 127.0.0.1:${database}`)
    .replaceAll("inter 1s", "inter 50ms")
  for (const [at, { port }] of services.entries())
    text = text.replaceAll(`pennypress-${at + 1}:4020`, `127.0.0.1:${port}`)
  for (const [at, { patroni, port }] of databases.entries())
    text = text.replaceAll(`postgres-${at + 1}:5432`, `127.0.0.1:${port} port ${patroni}`)
  const file = join(yield* temporaryDirectory, "haproxy.cfg")
  writeFileSync(file, text)
  yield* Effect.acquireRelease(
    Effect.sync(() => spawn("haproxy", ["-db", "-f", file], { stdio: "ignore" })),
    (child) => Effect.promise(() => (child.kill("SIGKILL"), once(child, "close")))
  )
  const origin = `http://127.0.0.1:${http}`
  /** Names of the services that answer four requests, or their status. */
  const answers = (method: string) =>
    Effect.map(
      Effect.forEach([1, 2, 3, 4], () => get(origin, { method })),
      (all) => [...new Set(all.map(({ status, text }) => (status === 200 ? text : status)))].toSorted()
    )
  const become = (what: string, method: string, expected: ReadonlyArray<string | number>) =>
    eventually(
      what,
      Effect.map(answers(method), (found) => JSON.stringify(found) === JSON.stringify(expected)).pipe(
        Effect.catchCause(() => Effect.succeed(false))
      )
    )
  yield* become("both services answer", "GET", ["one", "two"])
  return { answers, become, database, databases, origin, services }
})

describe("the load balancer", () => {
  it("The file is valid", () => {
    const { status, stderr } = spawnSync("haproxy", ["-c", "-f", FILE], { encoding: "utf8" })
    assert.strictEqual(status, 0, stderr)
    const [first, ...others] = stderr.split("\n").filter((line) => /ALERT|WARNING/.test(line))
    // The names of the servers exist nowhere yet.
    for (const line of [first ?? "", ...others]) assert.match(line, /could not resolve address/)
  })

  it.live("Requests go to ready services, reads go on, and a stopped service costs no request", () =>
    Effect.gen(function* () {
      const { answers, become, origin, services } = yield* balanced
      const [one, two] = services
      const headers = { "x-forwarded-for": "203.0.113.9", forwarded: "for=203.0.113.9" }
      yield* get(origin, { headers })
      yield* get(origin, { headers })
      assert.strictEqual(one.state.forwardedFor, "127.0.0.1 undefined")
      assert.strictEqual((yield* get(`${origin}/metrics`)).status, 404)

      one.state.writes = false
      yield* become("requests leave the first service", "POST", ["two"])
      assert.deepStrictEqual(yield* answers("GET"), ["two"])
      two.state.writes = false
      yield* become("reads go on", "GET", ["one", "two"])
      assert.deepStrictEqual(yield* answers("POST"), [503])
      one.state.writes = true
      two.state.writes = true
      yield* become("writes are back", "POST", ["one", "two"])

      yield* one.stop
      assert.deepStrictEqual(yield* answers("POST"), ["two"])
      assert.deepStrictEqual(yield* answers("GET"), ["two"])
      yield* two.stop
      yield* become("no service is left", "GET", [503])
      const { headers: told, status, text } = yield* get(origin)
      assert.deepStrictEqual([status, told.get("retry-after")], [503, "5"])
      assert.strictEqual(JSON.parse(text).data.code, "unavailable")
    })
  )

  it.live("A connection to PostgreSQL reaches the primary, and ends when another server becomes it", () =>
    Effect.gen(function* () {
      const { database, databases } = yield* balanced
      const reached = Effect.promise(async () => {
        const socket = connect(database, "127.0.0.1")
        const ended = once(socket, "close")
        socket.on("error", () => {})
        const [name] = await Promise.race([once(socket, "data"), ended])
        return { name: String(name), ended }
      })
      const reaches = (name: string) =>
        eventually(
          `the ${name} is reached`,
          Effect.map(reached, (it) => it.name === name)
        )
      // A server counts as there until the second check that it does not pass.
      yield* eventually(
        "the standby is known",
        Effect.sync(() => databases[1].state.checks > 2)
      )
      yield* reaches("primary")
      const { ended } = yield* reached
      databases[0].state.isPrimary = false
      databases[1].state.isPrimary = true
      yield* Effect.promise(() => ended)
      yield* reaches("standby")
    })
  )
})
