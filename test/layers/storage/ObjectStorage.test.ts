import { NodeServices } from "@effect/platform-node"
import { Effect, FileSystem, Layer, Path } from "effect"
import { SecureRandom } from "effect/crypto"
import * as ObjectStorageFiles from "../../../layers/storage/ObjectStorageFiles.ts"
import * as ObjectStorageMemory from "../../../layers/testing/ObjectStorageMemory.ts"
import { objectStorageSuite } from "./objectStorageSuite.ts"

const inTemporaryDirectory = Layer.unwrap(
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const directory = yield* fs.makeTempDirectoryScoped()
    return ObjectStorageFiles.layer({ directory: path.join(directory, "made", "anew") })
  })
).pipe(Layer.provide([NodeServices.layer, SecureRandom.layerWebCrypto]), Layer.orDie)

objectStorageSuite("objects in files", inTemporaryDirectory)
objectStorageSuite("objects in memory", ObjectStorageMemory.layer)
