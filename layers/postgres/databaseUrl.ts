import { existsSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer, Option } from "effect"
import type { Environment } from "../config/environment.ts"
import { databaseOfServer } from "./embedded/database.ts"
import { EmbeddedPostgres } from "./embedded/EmbeddedPostgres.ts"
import { writableUrl } from "./writableHost.ts"

/**
 * Returns the address of the server of the database, without a pooler between. The embedded one is joined if it runs, and
 * else started for this command.
 */
export const databaseUrl = Effect.fnUntraced(function* (environment: Environment) {
  const { DATABASE_DIRECT_URL, DATABASE_URL, PENNYPRESS_DATA } = environment
  // A long transaction would hold one of the few connections of a pooler.
  const own = Option.orElse(DATABASE_DIRECT_URL, () => DATABASE_URL)
  if (Option.isSome(own)) return yield* writableUrl(own.value)
  const server = yield* Layer.build(
    EmbeddedPostgres.layer({ dataDirectory: PENNYPRESS_DATA, exclusive: false })
  )
  return yield* Effect.provide(databaseOfServer, server)
})

/** Returns true if there is no database yet, because the first start makes the embedded one. */
export const isBeforeFirstStart = ({ DATABASE_URL, PENNYPRESS_DATA }: Environment) =>
  Option.isNone(DATABASE_URL) && !existsSync(join(PENNYPRESS_DATA, "postgres"))
