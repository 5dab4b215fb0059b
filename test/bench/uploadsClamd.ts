import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, openSync, writeFileSync } from "node:fs"
import { devNull } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { directory } from "./database.ts"

const CLAMD = "/usr/sbin/clamd"
const READY_SECONDS = 10

/** The string `pennypress harmless marker` in hex, as nothing that is uploaded here has it. */
const SIGNATURE = `Pennypress.Test.Marker:0:*:${Buffer.from("pennypress harmless marker").toString("hex")}\n`

/** As the README advises, and as `.ci/clamd.sh` has it. */
const configurationOf = (home: string) => `Foreground yes
DatabaseDirectory ${home}/database
TemporaryDirectory ${home}/temporary
LocalSocket ${home}/socket
StreamMaxLength 6M
MaxScanTime 30000
AlertExceedsMax yes
AlertEncrypted yes
AlertBrokenMedia yes
ConcurrentDatabaseReload yes
ScanImageFuzzyHash no
`

/** A clamd with one signature until the end of the scope, by its CLAMD_URL; undefined where there is none. */
export const clamd = Effect.gen(function* () {
  if (!existsSync(CLAMD)) return undefined
  const home = yield* directory
  mkdirSync(join(home, "database"))
  mkdirSync(join(home, "temporary"))
  writeFileSync(join(home, "database", "bench.ndb"), SIGNATURE)
  writeFileSync(join(home, "configuration"), configurationOf(home))
  const log = openSync(devNull, "w")
  yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(CLAMD, [`--config-file=${join(home, "configuration")}`], {
        stdio: ["ignore", log, log],
        env: { TZ: "UTC" }
      })
    ),
    (child) =>
      Effect.promise(async () => {
        if (child.exitCode !== null || child.signalCode !== null) return
        child.kill("SIGTERM")
        await once(child, "exit")
      })
  )
  const socket = join(home, "socket")
  for (let waited = 0; !existsSync(socket); waited += 0.1) {
    if (waited > READY_SECONDS) return yield* Effect.die(new Error("clamd did not listen"))
    yield* Effect.sleep("100 millis")
  }
  return `unix:${socket}`
})
