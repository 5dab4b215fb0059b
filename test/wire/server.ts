import { ConfigProvider, Console, Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { readSettings } from "../../layers/settings.ts"
import { type Patience } from "../../src/bin/nodeServer.ts"
import { serve } from "../../src/bin/serve.ts"
import { Logs } from "../http/Logs.ts"
import { freshDatabase } from "../support/Database.ts"
import { temporaryDirectory } from "../support/directories.ts"

/**
 * The server as `pennypress serve` starts it, on a port of its own over a fresh database of this name. It ends with the
 * scope, if `stop` did not end it before. Wants the real clock.
 */
export const started = (name: string, patience: Partial<Patience> = {}) =>
  Effect.gen(function* () {
    const databaseUrl = yield* freshDatabase(name)
    const env = {
      DATABASE_URL: Redacted.value(databaseUrl),
      SERVER_SECRET: "a secret that these tests share and nobody else",
      PENNYPRESS_DATA: yield* temporaryDirectory,
      PORT: "0"
    }
    const settings = yield* readSettings.pipe(
      Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))
    )
    const lines: Array<string> = []
    const scope = yield* Scope.make()
    const stop = Scope.close(scope, Exit.void)
    yield* Effect.addFinalizer(() => stop)
    const context = yield* Layer.buildWithScope(
      serve(settings, patience).pipe(Layer.provideMerge(Logs.layer)),
      scope
    ).pipe(Effect.provideService(Console.Console, { ...console, log: (line: string) => lines.push(line) }))
    const [, origin = ""] = /^pennypress listening on (http:\/\/\S+)$/.exec(lines[0] ?? "") ?? []
    return { origin, port: Number(new URL(origin).port), databaseUrl, logs: Context.get(context, Logs), stop }
  }).pipe(Effect.orDie)
