import { NodeServices } from "@effect/platform-node"
import { Effect, FileSystem, type Path } from "effect"
import { SecureRandom } from "effect/crypto"

/** Runs an effect in a new directory, on the file system. */
export const inDirectory = <A, E>(
  run: (
    directory: string
  ) => Effect.Effect<A, E, FileSystem.FileSystem | Path.Path | SecureRandom.SecureRandom>
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      return yield* run(yield* fs.makeTempDirectoryScoped())
    })
  ).pipe(Effect.provide([NodeServices.layer, SecureRandom.layerWebCrypto]))

/** Lists the temporary files of objects. */
export const files = (directory: string) =>
  Effect.flatMap(FileSystem.FileSystem, (fs) => fs.readDirectory(`${directory}/temporary`))
