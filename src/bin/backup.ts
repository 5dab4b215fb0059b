import { Console, Effect, type Option } from "effect"
import type { Progress } from "../../layers/backup/backup.ts"
import { backUp, restoreInto } from "../../layers/backup/commands.ts"
import { examineWorld } from "../../layers/doctor/doctor.ts"
import { VERSION } from "../version.ts"
import { linesOf } from "./doctor.ts"
import { endOfProgress, showProgress } from "./progress.ts"

const counted = (count: number) => count.toLocaleString("en")

const progress: Progress = (what, done, all) =>
  showProgress(`${what}: ${counted(done)}${all === undefined ? "" : ` of ${counted(all)}`}`)

/** A place without the key and the secret of an S3 URL. */
const shown = (place: string) => place.replace(/\/\/.*@/, "//")

interface BackupFlags {
  readonly to: string
  readonly keep: Option.Option<number>
  readonly withSecret: boolean
}

/** Backs up what the environment names, and says what is in the backup. */
export const backupProgram = Effect.fnUntraced(function* (flags: BackupFlags) {
  const made = backUp({ ...flags, release: VERSION, progress })
  const { manifest, name } = yield* Effect.ensuring(made, endOfProgress)
  const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0).toLocaleString("en")
  const objects = manifest.objectCount.toLocaleString("en")
  yield* Console.log(`${name}: ${rows} rows and ${objects} images and ZIPs are in ${shown(flags.to)}`)
  if (!flags.withSecret)
    yield* Console.log(
      "The service's secret is not in it. Keep SERVER_SECRET, or the file server-secret, somewhere else."
    )
})

interface RestoreFlags {
  readonly from: string
  readonly backup: Option.Option<string>
  readonly into: string
}

/** Restores a backup, and says what the doctor finds afterwards. */
export const restoreProgram = Effect.fnUntraced(function* (flags: RestoreFlags) {
  const { environment, name } = yield* Effect.ensuring(restoreInto({ ...flags, progress }), endOfProgress)
  const data = environment.PENNYPRESS_DATA
  yield* Console.log(`${name} is restored. Start the service with PENNYPRESS_DATA=${data}`)
  const findings = yield* examineWorld(environment)
  yield* Console.log(findings.flatMap(linesOf).join("\n"))
})
