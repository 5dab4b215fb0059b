import { it } from "@effect/vitest"
import { Effect } from "effect"
import { Client } from "pg"
import { eventually } from "../support/eventually.ts"
import { cutOff, heal, kill } from "./machines.ts"
import { failuresOf, isKeptRead, type Record, writtenAfter } from "./record.ts"
import type { Measuring } from "./table.ts"
import { type Database, databases, databaseUrl, patronictl, startOn, whole } from "./topology.ts"
import { underLoad } from "./underLoad.ts"

/** Commits on one server, past everything that stands before it. */
const commits = (server: Database) =>
  Effect.promise(async () => {
    const client = new Client({
      connectionString: databaseUrl(server),
      connectionTimeoutMillis: 1_000,
      query_timeout: 1_000
    })
    client.on("error", () => {})
    try {
      await client.connect()
      await client.query("create table if not exists commits_of_the_test (at timestamptz)")
      await client.query("insert into commits_of_the_test values (now())")
      return true
    } catch {
      return false
    } finally {
      void client.end().catch(() => {})
    }
  })

/** Measures how writes and reads went over a change of the primary. */
const measure = Effect.fnUntraced(function* (next: Database, from: number, record: Record, table: Measuring) {
  yield* eventually(`${next} takes writes`, commits(next))
  const takesWrites = Date.now()
  yield* eventually(
    "a write is acknowledged",
    Effect.sync(() => writtenAfter(record, takesWrites) !== undefined)
  )
  const written = writtenAfter(record, takesWrites) ?? Number.NaN
  table.told("seconds until the new primary took writes", (takesWrites - from) / 1000)
  table.atMost("seconds until writes again after that", (written - takesWrites) / 1000, 5)
  yield* Effect.sleep("5 seconds")
  table.told("requests failed meanwhile", failuresOf(record, from).length)
  table.none("kept reads failed", failuresOf(record).filter(isKeptRead))
  table.none("requests failed 5 s after the first write", failuresOf(record, written + 5_000))
})

it.live("A primary that is killed loses and doubles nothing, and kept reads go on", () =>
  underLoad("kill -9 of the primary", ({ record, table }) =>
    Effect.gen(function* () {
      const { primary, standby } = yield* databases
      const from = Date.now()
      yield* kill(primary)
      yield* measure(standby, from, record, table)
      yield* startOn(primary)
      yield* whole
    })
  )
)

it.live("A primary whose network falls silent loses and doubles nothing, and kept reads go on", () =>
  underLoad("a primary without the network", ({ record, table }) =>
    Effect.gen(function* () {
      const { primary, standby } = yield* databases
      const from = Date.now()
      yield* cutOff(primary, [{ machine: "etcd-1" }, { machine: "haproxy" }, { machine: standby }])
      yield* measure(standby, from, record, table)
      yield* heal(primary)
      yield* whole
    })
  )
)

it.live("A switchover loses and doubles nothing, and kept reads go on", () =>
  underLoad("patronictl switchover", ({ record, table }) =>
    Effect.gen(function* () {
      const { primary, standby } = yield* databases
      const from = Date.now()
      yield* patronictl("switchover", "--master", primary, "--candidate", standby, "--force")
      yield* measure(standby, from, record, table)
      yield* whole
    })
  )
)
