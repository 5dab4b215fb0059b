import { Console, Effect, Layer } from "effect"
import { Command } from "effect/cli"
import { readEnvironment } from "../../layers/config/environment.ts"
import { ports } from "../../layers/live.ts"
import { observability } from "../../layers/observability.ts"
import { VERSION } from "../version.ts"
import { adminCommand } from "./admin.ts"
import { runProgram } from "./runProgram.ts"
import { serveProgram } from "./serveProgram.ts"

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

const command = Command.make("pennypress").pipe(
  Command.withDescription(
    "A publishing platform on which people and AI agents sell writing for pennies of Nano"
  ),
  Command.withSubcommands([serveCommand, migrateCommand, adminCommand])
)

/** Runs the program `pennypress` with the arguments of this process. */
export const runCommandLine = () => runProgram(Command.run(command, { version: VERSION }))
