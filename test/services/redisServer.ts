import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { Effect, Ref, type Scope } from "effect"
import { createClient } from "redis"
import { freePort } from "../../layers/postgres/embedded/server.ts"
import { eventually } from "../support/eventually.ts"

/** A Redis for one test. */
export interface RedisServer {
  readonly port: number
  /** Starts it empty, on the same port each time. */
  readonly start: Effect.Effect<void>
  /** Ends it at once, as a crash does. */
  readonly kill: Effect.Effect<void>
  /** Makes it hang: it keeps and accepts connections, and answers nothing. */
  readonly hang: Effect.Effect<void>
  readonly resume: Effect.Effect<void>
}

/** A server to be started; it ends with the scope. `start` waits until it listens, not until it is usable. */
export const redisServer = Effect.fnUntraced(function* (
  options: (port: number) => ReadonlyArray<string> = (port) => ["--port", `${port}`]
): Effect.fn.Return<RedisServer, never, Scope.Scope> {
  const port = yield* freePort
  const running = yield* Ref.make<ChildProcess | undefined>(undefined)
  const signal = (name: NodeJS.Signals) => Effect.map(Ref.get(running), (child) => void child?.kill(name))
  const kill = Effect.gen(function* () {
    const child = yield* Ref.getAndSet(running, undefined)
    if (child === undefined) return
    const closed = once(child, "close")
    child.kill("SIGKILL")
    yield* Effect.promise(() => closed)
  })
  yield* Effect.addFinalizer(() => kill)
  const start = Effect.gen(function* () {
    const own = ["--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--daemonize", "no"]
    const child = spawn("redis-server", [...own, ...options(port)], { stdio: ["ignore", "pipe", "ignore"] })
    let log = ""
    child.stdout.on("data", (chunk: Buffer) => (log += chunk.toString()))
    yield* Ref.set(running, child)
    yield* eventually(
      "Redis listens",
      Effect.sync(() => log.includes("Ready to accept connections"))
    )
  })
  return { port, start, kill, hang: signal("SIGSTOP"), resume: signal("SIGCONT") }
})

/** Sends one command. */
export const command = <A>(url: string, ...words: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const client = createClient({ url })
    await client.connect()
    const answer = await client.sendCommand([...words])
    client.destroy()
    return answer as unknown as A
  })
