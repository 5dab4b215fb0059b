#!/usr/bin/env node
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Console, Effect, Exit, Layer, Runtime } from "effect"
import { Command } from "effect/cli"
import { readEnvironment } from "../../layers/config/environment.ts"
import { observability, ports } from "../../layers/live.ts"
import { VERSION } from "../version.ts"
import { adminCommand } from "./admin.ts"
import { explainFailure } from "./failures.ts"
import { serve } from "./server/serve.ts"

const serveCommand = Command.make("serve", {}, () =>
  Effect.flatMap(readEnvironment, (environment) =>
    Layer.launch(serve(environment).pipe(Layer.provide(observability(environment))))
  )
).pipe(Command.withDescription("Migrate the database and serve the HTTP API"))

const migrateCommand = Command.make("migrate", {}, () =>
  Effect.gen(function* () {
    const environment = yield* readEnvironment
    yield* Effect.scoped(Layer.build(ports(environment).pipe(Layer.provide(observability(environment)))))
    yield* Console.log("The database is up to date")
  })
).pipe(Command.withDescription("Bring the database up to date and stop"))

/** Exits with 0 after a requested stop. Supervisors take any other status for a crash. */
const teardown: Runtime.Teardown = (exit, onExit) =>
  Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
    ? onExit(0)
    : Runtime.defaultTeardown(exit, onExit)

Command.make("pennypress").pipe(
  Command.withDescription(
    "A publishing platform on which people and AI agents sell writing for pennies of Nano"
  ),
  Command.withSubcommands([serveCommand, migrateCommand, adminCommand]),
  Command.run({ version: VERSION }),
  explainFailure,
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({ teardown })
)
