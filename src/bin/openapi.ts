import { fileURLToPath } from "node:url"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, FileSystem } from "effect"
import { OpenApi } from "effect/http-api"
import { DocumentedApi } from "../../schemas/DocumentedApi.ts"

const file = fileURLToPath(new URL("../../schemas/openapi.json", import.meta.url))

/** Writes the OpenAPI document of the contract to its file in the repository. */
Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  yield* fs.writeFileString(file, `${JSON.stringify(OpenApi.fromApi(DocumentedApi), null, 2)}\n`)
}).pipe(Effect.provide(NodeServices.layer), NodeRuntime.runMain)
