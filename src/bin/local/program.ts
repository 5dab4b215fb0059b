import { homedir } from "node:os"
import { join } from "node:path"
import { Config, Effect, Layer, Option } from "effect"
import { SecureRandom, Digest } from "effect/crypto"
import * as HttpClientLocal from "../../../layers/local/HttpClientLocal.ts"
import * as StateStoreSqlite from "../../../layers/local/StateStoreSqlite.ts"
import { marked } from "../../mcp/local/failures/marked.ts"
import { services } from "../../mcp/local/layer.ts"
import { Origin, parseOrigin } from "../../mcp/local/service/Origin.ts"

/** The two flags that every command has. */
export interface Place {
  readonly origin: Option.Option<string>
  readonly stateDir: Option.Option<string>
}

/** The command above all others, which gives them the two flags. */
export type Root<E, R> = Effect.Effect<Place, E, R>

/** Returns the directory of a name below the user's local state, `host` or `host_port`. */
const defaultDirectory = Effect.fnUntraced(function* (origin: string) {
  const { hostname, port } = new URL(origin)
  const name = port === "" ? hostname : `${hostname}_${port}`
  const variable = process.platform === "win32" ? "LOCALAPPDATA" : "XDG_STATE_HOME"
  const base = yield* Config.option(Config.NonEmptyString(variable))
  const fallback = process.platform === "win32" ? "AppData/Local" : ".local/state"
  return join(
    Option.getOrElse(base, () => join(homedir(), fallback)),
    "svc-mcp",
    name.replaceAll(/[^\w.-]/g, "_")
  )
})

/** Returns the origin and the state directory of a command. */
const placed = Effect.fnUntraced(function* ({ origin: named, stateDir }: Place) {
  const origin = Option.match(named, { onNone: () => undefined, onSome: parseOrigin })
  if (origin === undefined) return yield* marked("origin-invalid")
  const directory = Option.isSome(stateDir) ? stateDir.value : yield* defaultDirectory(origin)
  return { origin, directory }
})

/** The local edition over its state directory: the services of every command. */
export const assembly = (place: Place) =>
  Layer.unwrap(
    Effect.map(placed(place), ({ directory, origin }) =>
      services.pipe(
        Layer.provideMerge(
          Layer.mergeAll(
            StateStoreSqlite.layer({ directory, origin }),
            HttpClientLocal.layer,
            Layer.succeed(Origin, origin),
            SecureRandom.layerWebCrypto,
            Digest.layerWebCrypto
          )
        )
      )
    )
  )

/** Runs the body of a command over the state directory that its flags name. */
export const withinPlace =
  <E, R>(root: Root<E, R>) =>
  <A, E1, R1>(body: Effect.Effect<A, E1, R1>) =>
    Effect.flatMap(root, (place) => Effect.provide(body, assembly(place)))
