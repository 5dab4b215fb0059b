import { resolve } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { parseArgs } from "node:util"
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Console, Effect, Layer, Redacted, References } from "effect"
import { authorOf } from "../../support/actors/author.ts"
import { emptyDatabase } from "../../support/Database.ts"
import { clientOf } from "../../support/httpClient.ts"
import { TestClient } from "../../support/TestClient.ts"
import { partsOver } from "../beside/parts.ts"
import { connected, directory, postgres } from "../database.ts"
import { nanoNode, service } from "../servers.ts"

const HELP = `Lets many posts publish themselves at one moment.

  node test/bench/schedules/program.ts [--posts 1000] [--quiet]

  --quiet  sends no requests of other people meanwhile.

It prints how late the last one is, the memory of the service, and how long others waited.`

const { values: options } = parseArgs({
  options: {
    posts: { type: "string", default: "1000" },
    quiet: { type: "boolean", default: false },
    help: { type: "boolean", default: false }
  }
})
const POSTS = Number(options.posts)
/** The schedules of an owner that may wait. */
const POSTS_OF_AUTHOR = 100
const LOOK_MILLIS = 100
/** The time until the posts are due, in which their schedules are set. */
const AHEAD_MILLIS = 90_000

const bench = Effect.gen(function* () {
  const url = Redacted.value(yield* emptyDatabase("pennypress_bench_schedules", { server: yield* postgres }))
  const database = yield* connected(url)
  const path = resolve(import.meta.dirname, "../../..")
  const checkout = { name: "service", path, database, data: yield* directory }
  const server = yield* service(checkout, yield* nanoNode(database), true)
  const part = yield* partsOver(server, options.quiet)
  const dueAt = Date.now() + AHEAD_MILLIS

  yield* Effect.gen(function* () {
    const client = yield* TestClient
    for (let made = 0; made < POSTS; made += POSTS_OF_AUTHOR) {
      const author = yield* authorOf(10 + made / POSTS_OF_AUTHOR)
      for (let n = 0; n < Math.min(POSTS_OF_AUTHOR, POSTS - made); n++) {
        const { id } = yield* author.draft()
        const answer = yield* client.send("PUT", `/api/v1/posts/${id}/schedule`, {
          token: author.key,
          body: { publishAt: new Date(dueAt).toISOString() }
        })
        if (answer.status !== 200) return yield* Effect.die(new Error(JSON.stringify(answer.body)))
      }
    }
  }).pipe(Effect.provideService(TestClient, clientOf(server.url)))
  if (Date.now() >= dueAt) return yield* Effect.die(new Error("The posts were due before all were scheduled"))

  const waiting = async () => {
    const [row] = await database.rows<{ readonly count: number }>(
      "select count(*)::int4 as count from scheduled_publications where failure is null"
    )
    return row?.count ?? 0
  }
  yield* Effect.promise(() => pause(dueAt - Date.now()))
  yield* Effect.promise(() =>
    part({
      server,
      name: "publishing",
      count: POSTS,
      run: async () => {
        while ((await waiting()) > 0) await pause(LOOK_MILLIS)
      }
    })
  )
  const [late] = yield* Effect.promise(() =>
    database.rows<{ readonly first: number; readonly last: number }>(
      `select extract(epoch from min(published_at) - $1::timestamptz)::float8 as first,
         extract(epoch from max(published_at) - $1::timestamptz)::float8 as last
       from posts where published_at >= $1::timestamptz`,
      [new Date(dueAt)]
    )
  )
  yield* Console.log(`the first is ${late?.first.toFixed(2)} s late, the last ${late?.last.toFixed(2)} s`)
}).pipe(
  Effect.scoped,
  Effect.provide([NodeServices.layer, Layer.succeed(References.MinimumLogLevel, "Warn")])
)

if (options.help) console.log(HELP)
else NodeRuntime.runMain(bench)
