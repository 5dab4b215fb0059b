import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { Client } from "pg"
import { eventually } from "../support/eventually.ts"
import { cutOff, folderOf, heal, kill } from "./machines.ts"
import { failuresOf, isPostRead, type Record, writtenAfter } from "./record.ts"
import type { Measuring } from "./table.ts"
import { asPatroni, type Database, databases, databaseUrl, startOn, whole } from "./topology.ts"
import { secondsOf, underLoad } from "./underLoad.ts"

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
  table.none("requests failed 5 s after the first write", failuresOf(record, written + 5_000))
})

it.live("A primary that is killed loses and doubles nothing", () =>
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

it.live("A primary whose network falls silent loses and doubles nothing", () =>
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

/** Changes the primary as an operator does for maintenance. */
const switchOver = asPatroni("postgres-1", "patronictl -c /etc/patroni/patroni.yml switchover --force")

it.live("A switchover loses and doubles nothing", () =>
  underLoad("patronictl switchover", ({ record, table }) =>
    Effect.gen(function* () {
      const { primary, standby } = yield* databases
      const list = yield* asPatroni(primary, "patronictl -c /etc/patroni/patroni.yml list")
      table.none(
        "servers missing in the list of the runbook",
        [`${primary}.*Leader`, `${standby}.*Sync Standby`].filter((row) => !new RegExp(row).test(list))
      )
      const from = Date.now()
      yield* switchOver
      yield* measure(standby, from, record, table)
      yield* whole
    })
  )
)

it.live("A standby that is copied again loses and doubles nothing, and posts stay readable", () =>
  underLoad("patronictl reinit of the standby", ({ record, table }) =>
    Effect.gen(function* () {
      // The runbook names this server.
      const copied = "postgres-2"
      if ((yield* databases).primary === copied) yield* switchOver
      yield* whole
      const old = join(folderOf(copied), "data", "of-the-old-copy")
      writeFileSync(old, "")
      const from = Date.now()
      yield* asPatroni(
        "postgres-1",
        "patronictl -c /etc/patroni/patroni.yml reinit pennypress postgres-2 --force"
      )
      yield* eventually(
        "the old copy is gone",
        Effect.sync(() => !existsSync(old))
      )
      table.atMost("seconds until the standby was copied", yield* secondsOf(whole), 60)
      table.none("reads of posts failed", failuresOf(record, from).filter(isPostRead))
      table.told("requests failed meanwhile", failuresOf(record, from).length)
      const back = Date.now()
      yield* Effect.sleep("5 seconds")
      table.none("requests failed once it was copied", failuresOf(record, back))
    })
  )
)
