import { homedir } from "node:os"
import { basename, join, resolve } from "node:path"
import { Config, Effect, Layer, Option } from "effect"
import { SecureRandom, Digest } from "effect/crypto"
import * as HttpClientLocal from "../../../layers/local/HttpClientLocal.ts"
import * as StateStoreSqlite from "../../../layers/local/StateStoreSqlite.ts"
import * as NanoProviderRpc from "../../../layers/nano/NanoProviderRpc.ts"
import { ToolFailure } from "../../../schemas/mcp/ToolFailure.ts"
import { marked } from "../../mcp/local/failures/marked.ts"
import { services } from "../../mcp/local/layer.ts"
import { inShell, Program, shellWord } from "../../mcp/local/service/commands.ts"
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

/** Returns the words of a shell that start this program: its own file, or Node with it. */
const programOf = (file: string) =>
  basename(file) === "svc-mcp" ? shellWord(file) : `${shellWord(process.execPath)} ${shellWord(file)}`

/** Returns the origin and the state directory of a command, and the words that start this program. */
const placed = Effect.fnUntraced(function* ({ origin: named, stateDir }: Place) {
  const origin = Option.match(named, { onNone: () => undefined, onSome: parseOrigin })
  if (origin === undefined) return yield* marked("origin-invalid")
  const directory = Option.isSome(stateDir) ? stateDir.value : yield* defaultDirectory(origin)
  return { origin, directory: resolve(directory), program: programOf(process.argv[1] ?? "svc-mcp") }
})

/** The local edition over its state directory: the services of every command. */
const assembly = ({ directory, origin, program }: Effect.Success<ReturnType<typeof placed>>) =>
  services.pipe(
    Layer.provideMerge(NanoProviderRpc.layer),
    Layer.provideMerge(
      Layer.mergeAll(
        StateStoreSqlite.layer({ directory, origin }),
        HttpClientLocal.layer,
        Layer.succeed(Origin, origin),
        Layer.succeed(Program, program),
        SecureRandom.layerWebCrypto,
        Digest.layerWebCrypto
      )
    )
  )

/** Runs the body of a command over the state directory that its flags name. */
export const withinPlace =
  <E, R>(root: Root<E, R>) =>
  <A, E1, R1>(body: Effect.Effect<A, E1, R1>) =>
    Effect.gen(function* () {
      const at = yield* placed(yield* root)
      return yield* Effect.provide(body, assembly(at)).pipe(
        Effect.mapError((failure) => (failure instanceof ToolFailure ? inShell(failure, at) : failure))
      )
    })
