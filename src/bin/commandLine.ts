import { Console, Effect, Layer } from "effect"
import { Command, Flag } from "effect/cli"
import { FetchHttpClient } from "effect/http"
import { readEnvironment } from "../../layers/config/environment.ts"
import { ports } from "../../layers/live.ts"
import { observability } from "../../layers/observability.ts"
import { VERSION } from "../version.ts"
import { accounts } from "./admin/accounts.ts"
import { comments, posts } from "./admin/content.ts"
import { obligations } from "./admin/obligations.ts"
import { audit, reports } from "./admin/reports.ts"
import { settlements } from "./admin/settlements.ts"
import { uploads } from "./admin/uploads.ts"
import { oneSentence } from "./arguments/oneSentence.ts"
import { runProgram } from "./runProgram.ts"
import { serveProgram } from "./serveProgram.ts"

/** Commands of an administrator, sent over RPC to the running service. They need `ADMIN_TOKEN` in the environment. */
const adminCommand = Command.make("admin").pipe(
  Command.withDescription("Administer a running service, with its ADMIN_TOKEN in the environment"),
  Command.withSubcommands([accounts, audit, comments, obligations, posts, reports, settlements, uploads]),
  Command.provide(FetchHttpClient.layer)
)

const serveCommand = Command.make("serve", {}, () => serveProgram).pipe(
  Command.withDescription("Migrate the database and serve the HTTP API")
)

const migrateCommand = Command.make("migrate", {}, () =>
  Effect.gen(function* () {
    const environment = yield* readEnvironment
    yield* Effect.scoped(Layer.build(ports(environment).pipe(Layer.provide(observability(environment)))))
    yield* Console.log("The database is up to date")
  })
).pipe(Command.withDescription("Bring the database up to date and stop"))

const doctorCommand = Command.make(
  "doctor",
  {
    json: Flag.Boolean("json").pipe(Flag.withDefault(false), Flag.withDescription("Print JSON for programs"))
  },
  ({ json }) =>
    Effect.flatMap(
      Effect.promise(() => import("./doctor.ts")),
      ({ doctor }) => doctor(json)
    )
).pipe(Command.withDescription("Check the configuration and the world that it names, without starting"))

/** The program `pennypress`. */
export const command = Command.make("pennypress").pipe(
  Command.withDescription(
    "A publishing platform on which people and AI agents sell writing for pennies of Nano"
  ),
  Command.withSubcommands([serveCommand, migrateCommand, doctorCommand, adminCommand])
)

/** Runs the program `pennypress` with the arguments of this process. */
export const runCommandLine = () =>
  runProgram(Command.run(command, { version: VERSION }).pipe(Effect.provide(oneSentence("pennypress"))))
