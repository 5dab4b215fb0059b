import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Config, Console, Effect, Layer, References } from "effect"
import * as Database from "../../../layers/postgres/Database.ts"
import { seed } from "./seed.ts"

/** Migrates and fills the database of `DATABASE_URL`, and prints what a load needs to know of it. */
const program = Effect.gen(function* () {
  const url = yield* Config.Redacted("DATABASE_URL")
  const database = Database.layer({ url, statementTimeoutMillis: 0, deadlineMillis: 600_000 })
  const made = yield* seed.pipe(Effect.provide(database), Effect.scoped)
  yield* Console.log(JSON.stringify(made))
})

program.pipe(
  Effect.provide([NodeServices.layer, Layer.succeed(References.MinimumLogLevel, "Warn")]),
  NodeRuntime.runMain
)
