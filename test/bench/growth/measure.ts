import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Config, Console, Effect, Layer, References } from "effect"
import { SqlClient } from "effect/sql"
import * as Database from "../../../layers/postgres/Database.ts"
import type { OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import { type Fanout, fanoutStatements } from "../../../src/engagement/notifications/fanout/fanouts.sql.ts"
import { mostRows, planNodes, wholeTables } from "../../support/plans.ts"
import { backends, processorOf } from "../processor.ts"
import { hotReads, type Read } from "./reads.ts"

// Measures each read of the service over the database of DATABASE_URL, which `npm run seed` has filled: one after the other,
// with the rows that its statements read, and the fan-out of a publication. PostgreSQL runs on this machine, so that its
// processor time is known: other programs disturb it less than the time that passes.

const ROUNDS = 32
const WARM_UP = 8
const BATCH = 5_000

const quantile = (times: ReadonlyArray<number>, share: number) =>
  times.toSorted((one, other) => one - other)[Math.ceil(share * times.length) - 1] ?? 0

const milliseconds = (time: number) => `${time.toFixed(1)} ms`

const timed = Effect.fnUntraced(function* (run: Read["run"]) {
  const times: Array<number> = []
  const busy: Array<number> = []
  // The pool opens its connections.
  for (let n = 0; n < WARM_UP; n++) yield* run(n)
  const pids = yield* backends
  for (let n = 0; n < ROUNDS; n++) {
    const before = processorOf(pids)
    const began = performance.now()
    yield* run(n)
    times.push(performance.now() - began)
    busy.push(processorOf(pids) - before)
  }
  return { times, busy }
})

/** Tables that grow: those with more rows than a page of a list reads. */
const largeTables = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql<{
      readonly name: string
    }>`select relname as name from pg_class where relkind = 'r' and reltuples > 1000`,
    (rows) => new Set(rows.map(({ name }) => name))
  )
)

const measured = Effect.fnUntraced(function* ({ bound, name, run }: Read, large: ReadonlySet<string>) {
  const { busy, times } = yield* timed(run)
  const nodes = (yield* Effect.forEach([0, 7, 21], (n) => planNodes("force_custom_plan", run(n)))).flat()
  const median = quantile(busy, 0.5)
  const whole = [...new Set(wholeTables(nodes))].filter((table) => large.has(table ?? "")).join(", ")
  const shown = [
    name,
    milliseconds(median),
    milliseconds(quantile(busy, 0.99)),
    milliseconds(quantile(times, 0.5)),
    mostRows(nodes).toLocaleString("en"),
    whole,
    median > bound ? `above ${bound} ms` : ""
  ]
  yield* Console.log(`| ${shown.join(" | ")} |`)
})

type Batch = Effect.Success<ReturnType<Effect.Success<typeof fanoutStatements>["notifyNext"]>>

/** Tells all followers of the most followed author of a Post, and takes it back. */
const fanOut = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { notifyNext } = yield* fanoutStatements
  const [post] = yield* sql<{ readonly id: PostId; readonly owner_id: OwnerId }>`
    select p.id, o.id as owner_id
    from (select * from owners order by follower_count desc limit 1) o join posts p on p.owner_id = o.id limit 1`
  if (post === undefined) return
  const cause = {
    id: post.id,
    type: "new_post",
    post_id: post.id,
    comment_id: null,
    actor_id: post.owner_id,
    reply_target_author_id: null,
    created_at: new Date("2026-11-01T00:00:00Z"),
    attempts: 1
  } as const
  const told = Effect.gen(function* () {
    const pids = yield* backends
    const before = processorOf(pids)
    const began = performance.now()
    let position: Fanout["position"] = null
    let count = 0
    while (true) {
      const fanout: Fanout = { ...cause, position }
      const { considered, last }: Batch = yield* notifyNext(fanout, BATCH)
      count += considered
      position = last
      if (last === null || considered < BATCH) break
    }
    const rate = (millis: number) => Math.round((count / millis) * 1_000).toLocaleString("en")
    const passed = performance.now() - began
    yield* Console.log(
      `fan-out to ${count.toLocaleString("en")}: ${rate(processorOf(pids) - before)} rows a second of processor time, ${rate(passed)} a second`
    )
    return yield* Effect.fail("roll back" as const)
  })
  for (let round = 0; round < 3; round++) yield* Effect.ignore(sql.withTransaction(told))
})

const program = Effect.gen(function* () {
  yield* Console.log(
    "| read | processor, p50 | p99 | passed, p50 | most rows of a step | whole tables | |\n| --- | ---: | ---: | ---: | ---: | --- | --- |"
  )
  const large = yield* largeTables
  for (const read of yield* hotReads) yield* measured(read, large)
  yield* fanOut
})

const HOUR = 3_600_000
const database = Effect.map(Config.Redacted("DATABASE_URL"), (url) =>
  Database.layer({ url, statementTimeoutMillis: 0, deadlineMillis: HOUR, searchTimeoutMillis: HOUR })
)
program.pipe(
  Effect.provide(Layer.unwrap(database)),
  Effect.scoped,
  Effect.provide([NodeServices.layer, Layer.succeed(References.MinimumLogLevel, "Warn")]),
  NodeRuntime.runMain
)
