import { join } from "node:path"
import { it } from "@effect/vitest"
import { Effect, Struct } from "effect"
import { lostOf } from "./checks.ts"
import { folderOf, kill, runOn, start } from "./machines.ts"
import { answering, originOf, pennypress } from "./topology.ts"
import { secondsOf, underLoad } from "./underLoad.ts"

/** A machine with nothing but the release: it keeps the database and the images itself. */
const alone = (...words: ReadonlyArray<string>) => {
  const { command, env } = pennypress("fresh", words)
  const own = Struct.omit(env, [
    "DATABASE_URL",
    "DATABASE_DIRECT_URL",
    "DATABASE_READ_URL",
    "REDIS_URL",
    "S3_URL"
  ])
  return { command, env: { ...own, PENNYPRESS_DATA: join(folderOf("fresh"), "data") } }
}

it.live("A backup that is made during the load restores every write from before it", () =>
  underLoad("backup and restore", ({ record, table }) =>
    Effect.gen(function* () {
      const place = join(folderOf("fresh"), "backups")
      yield* Effect.sleep("10 seconds")
      const before = { writes: [...record.writes] }
      table.told("writes acknowledged before the backup", before.writes.length)
      const backup = runOn("pennypress-1", pennypress("pennypress-1", ["backup", "--to", place]))
      table.told("seconds of the backup", yield* secondsOf(backup))
      const restore = runOn("fresh", alone("restore", "--from", place, "--into", alone().env.PENNYPRESS_DATA))
      table.told("seconds of the restore", yield* secondsOf(restore))
      yield* start("fresh", alone("serve"))
      yield* answering(`${originOf("fresh")}/health/ready`)
      table.none("writes from before the backup lost", yield* lostOf(before, originOf("fresh")))
      yield* kill("fresh")
    })
  )
)
