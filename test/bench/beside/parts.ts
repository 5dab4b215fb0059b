import { setTimeout as pause } from "node:timers/promises"
import { Effect } from "effect"
import { authorOf } from "../../support/actors/author.ts"
import { clientOf } from "../../support/httpClient.ts"
import { TestClient } from "../../support/TestClient.ts"
import type { Server } from "../servers.ts"
import { watchMemory } from "./memory.ts"
import { type Others, watchOthers } from "./others.ts"

const IDLE_MILLIS = 10_000
/** The number of the author whose posts others read. The benches use smaller ones. */
const OTHERS_AUTHOR = 1_000
const OTHERS_POSTS = 50

const multiplesOf = (others: Others, idle: Others) =>
  (["page", "read", "write"] as const)
    .map((name) => `${name} ${others[name].toFixed(1)} ms (×${(others[name] / idle[name]).toFixed(2)})`)
    .join(", ")

/** A part of a bench: `count` things that a server does while `run` waits for them. */
export interface Part<A> {
  readonly server: Server
  readonly name: string
  readonly count: number
  readonly run: () => Promise<A>
}

/**
 * Makes the parts of a bench, over a server that is idle now. Each prints its time, the processor and the memory of the server,
 * and how long other people waited beside it, unless it is quiet: then there are none.
 */
export const partsOver = Effect.fnUntraced(function* (idleServer: Server, isQuiet: boolean) {
  const theirs = yield* Effect.gen(function* () {
    const author = yield* authorOf(OTHERS_AUTHOR)
    const posts = yield* Effect.forEach(Array.from({ length: OTHERS_POSTS }), () => author.published())
    return { key: author.key, posts: posts.map(({ id }) => id) }
  }).pipe(Effect.provideService(TestClient, clientOf(idleServer.url)))
  let idle: Others | undefined

  const part = async <A>({ count, name, run, server }: Part<A>): Promise<A> => {
    const memory = watchMemory(server.pid)
    const others = isQuiet ? undefined : watchOthers(server, theirs)
    const usage = server.measure()
    const begin = performance.now()
    const result = await run()
    const millis = performance.now() - begin
    const { cpuSeconds } = usage()
    const { quarters, reader } = await memory()
    const waited = await others?.()
    idle ??= waited
    console.log(
      `${name}: ${(millis / 1000).toFixed(1)} s, ${(millis / count).toFixed(2)} ms each, ` +
        `processor ${((cpuSeconds * 1000) / count).toFixed(2)} ms each; server ${quarters.join(", ")} MB` +
        (reader === 0 ? "" : `, reader ${reader} MB`) +
        (waited === undefined || idle === undefined ? "" : `; ${multiplesOf(waited, idle)}`)
    )
    return result
  }
  yield* Effect.promise(() =>
    part({ server: idleServer, name: "idle", count: 1, run: () => pause(IDLE_MILLIS) })
  )
  return part
})
