import { NodeRuntime } from "@effect/platform-node"
import { Console, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Database from "../../layers/postgres/Database.ts"
import { EmbeddedPostgres } from "../../layers/postgres/embedded/EmbeddedPostgres.ts"
import { fastSettings } from "./fastSettings.ts"

/**
 * A process that owns an embedded server and a pool on it: `ownServer.ts <data directory> <migrations>`. It prints one
 * line of JSON when it is up, and another if the pool still works while it stops.
 */
const [dataDirectory = "", migrations = ""] = process.argv.slice(2)

const server = EmbeddedPostgres.layer({ dataDirectory, settings: fastSettings })

const main = Layer.effectDiscard(
  Effect.gen(function* () {
    const { attached, url } = yield* EmbeddedPostgres
    const sql = yield* SqlClient.SqlClient
    yield* Effect.addFinalizer(() =>
      sql`select 1`.pipe(Effect.andThen(Console.log("pool closing")), Effect.orDie)
    )
    yield* Console.log(JSON.stringify({ attached, url: Redacted.value(url) }))
  })
).pipe(Layer.provide(Database.layerEmbedded({ schema: { migrations, triggers: [] } })), Layer.provide(server))

NodeRuntime.runMain(Layer.launch(main))
