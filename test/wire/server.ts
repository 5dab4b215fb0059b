import { ConfigProvider, Console, Context, Effect, Exit, Layer, Redacted, References, Scope } from "effect"
import { readEnvironment } from "../../layers/config/environment.ts"
import type { ServerLimits } from "../../src/bin/server/limits.ts"
import { serve } from "../../src/bin/server/serve.ts"
import { Logs } from "../platform/http/Logs.ts"
import { freshDatabase } from "../support/Database.ts"
import { temporaryDirectory } from "../support/directories.ts"

/**
 * Starts the server as `pennypress serve` does, on its own port over a fresh database of this name. The environment may
 * name another database. It has no rate limits, and stops at once, unless the environment says otherwise. It ends with the scope,
 * unless `stop` ended it before. Its log has every level, unless the environment names one. It needs the real clock.
 */
export const started = (
  name: string,
  limits: Partial<ServerLimits> = {},
  environment: Readonly<Record<string, string>> = {}
) =>
  Effect.gen(function* () {
    const own = environment["DATABASE_URL"]
    const databaseUrl = own === undefined ? yield* freshDatabase(name) : Redacted.make(own)
    const dataDirectory = yield* temporaryDirectory
    const env = {
      DATABASE_URL: Redacted.value(databaseUrl),
      SERVER_SECRET: "a secret that these tests share and nobody else",
      PENNYPRESS_DATA: dataDirectory,
      PORT: "0",
      DRAIN_SECONDS: "0",
      RATE_LIMIT_FACTOR: "1000000",
      ...environment
    }
    const settings = yield* readEnvironment.pipe(
      Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))
    )
    const level =
      environment["LOG_LEVEL"] === undefined
        ? Layer.empty
        : Layer.succeed(References.MinimumLogLevel, settings.LOG_LEVEL)
    const lines: Array<string> = []
    const scope = yield* Scope.make()
    const stop = Scope.close(scope, Exit.void)
    yield* Effect.addFinalizer(() => stop)
    const context = yield* Layer.buildWithScope(
      serve(settings, limits).pipe(Layer.provide(level), Layer.provideMerge(Logs.layer)),
      scope
    ).pipe(Effect.provideService(Console.Console, { ...console, log: (line: string) => lines.push(line) }))
    const [, origin = ""] = /^pennypress listening on (http:\/\/\S+)$/.exec(lines[0] ?? "") ?? []
    const logs = Context.get(context, Logs)
    return { origin, port: Number(new URL(origin).port), databaseUrl, dataDirectory, logs, stop }
  }).pipe(Effect.orDie)
