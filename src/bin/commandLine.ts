import { Effect, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { FetchHttpClient } from "effect/http"
import { isName } from "../../layers/backup/Manifest.ts"
import { VERSION } from "../version.ts"
import { accounts } from "./admin/accounts.ts"
import { comments, posts } from "./admin/content.ts"
import { mail } from "./admin/mail.ts"
import { moderators } from "./admin/moderators.ts"
import { obligations } from "./admin/obligations.ts"
import { readers } from "./admin/readers.ts"
import { audit, reports } from "./admin/reports.ts"
import { settlements } from "./admin/settlements.ts"
import { uploads } from "./admin/uploads.ts"
import { Path, textFlag, wholeFlag } from "./arguments/checkedArguments.ts"
import { oneSentence } from "./arguments/oneSentence.ts"
import { runProgram } from "./runProgram.ts"
import { serveProgram } from "./serveProgram.ts"

/** Commands of an administrator, sent over RPC to the running service. They need `ADMIN_TOKEN` in the environment. */
const adminCommand = Command.make("admin").pipe(
  Command.withDescription("Administer a running service, with its ADMIN_TOKEN in the environment"),
  Command.withSubcommands([
    accounts,
    audit,
    comments,
    mail,
    moderators,
    obligations,
    posts,
    readers,
    reports,
    settlements,
    uploads
  ]),
  Command.provide(FetchHttpClient.layer)
)

const serveCommand = Command.make("serve", {}, () => serveProgram).pipe(
  Command.withDescription("Migrate the database and serve the HTTP API")
)

const json = Flag.Boolean("json").pipe(
  Flag.withDefault(false),
  Flag.withDescription("Print JSON for programs")
)

const migrateCommand = Command.make(
  "migrate",
  {
    plan: Flag.Boolean("plan").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Print the pending statements without running them")
    ),
    json
  },
  (flags) =>
    Effect.flatMap(
      Effect.promise(() => import("./migrate.ts")),
      ({ migrateProgram }) => migrateProgram(flags)
    )
).pipe(Command.withDescription("Bring the database up to date and stop"))

const doctorCommand = Command.make("doctor", { json }, ({ json }) =>
  Effect.flatMap(
    Effect.promise(() => import("./doctor.ts")),
    ({ doctor }) => doctor(json)
  )
).pipe(
  Command.withDescription(
    "Check the configuration and everything it connects to, without starting the service"
  )
)

/** Backups that a place keeps. */
const Kept = Schema.Int.check(
  Schema.isBetween({ minimum: 1, maximum: 1_000 }, { expected: "a number from 1 to 1000" })
)

const BackupName = Schema.String.check(
  Schema.makeFilter(isName, { expected: "the name of a backup, such as 2026-11-27t04-21-34z-3fa9" })
)

const place = "a folder, or s3://key:secret@host/bucket?prefix=…"

const backupCommand = Command.make(
  "backup",
  {
    to: textFlag("to", Path).pipe(Flag.withDescription(`The backup location: ${place}`)),
    keep: wholeFlag("keep", Kept).pipe(
      Flag.withDescription("Number of complete backups to keep in the place; all by default"),
      Flag.optional
    ),
    withSecret: Flag.Boolean("with-secret").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Also put the service's secret into the backup")
    )
  },
  (options) =>
    Effect.flatMap(
      Effect.promise(() => import("./backup.ts")),
      ({ backupProgram }) => backupProgram(options)
    )
).pipe(Command.withDescription("Back up the database, images and ZIPs, while the service runs"))

const restoreCommand = Command.make(
  "restore",
  {
    from: textFlag("from", Path).pipe(Flag.withDescription(`The backup location: ${place}`)),
    backup: textFlag("backup", BackupName).pipe(
      Flag.withDescription("Name of the backup; the newest by default"),
      Flag.optional
    ),
    into: textFlag("into", Path).pipe(
      Flag.withDescription("The data directory, which must be empty or missing")
    )
  },
  (options) =>
    Effect.flatMap(
      Effect.promise(() => import("./backup.ts")),
      ({ restoreProgram }) => restoreProgram(options)
    )
).pipe(Command.withDescription("Restore a backup into an empty data directory, database and store"))

/** The program `pennypress`. */
export const command = Command.make("pennypress").pipe(
  Command.withDescription(
    "A publishing platform on which people and AI agents sell writing for pennies of Nano"
  ),
  Command.withSubcommands([
    serveCommand,
    migrateCommand,
    doctorCommand,
    backupCommand,
    restoreCommand,
    adminCommand
  ])
)

/** Runs the program `pennypress` with the arguments of this process. */
export const runCommandLine = () =>
  runProgram(Command.run(command, { version: VERSION }).pipe(Effect.provide(oneSentence("pennypress"))))
