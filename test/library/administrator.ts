import { NodeRuntime } from "@effect/platform-node"
import { Config, Console, Effect, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import { makeAdminClient, UploadOperationId } from "pennypress"

/** An administrator in another process, with the token of the operator: it calls the embedding service over RPC. */
const [baseUrl = "", operationId = ""] = process.argv.slice(2)
const id = UploadOperationId.make(operationId)

const main = Effect.gen(function* () {
  const client = yield* makeAdminClient({ baseUrl, token: yield* Config.Redacted("ADMIN_TOKEN") })
  yield* client["uploads.hold"]({ operationId: id })
  yield* client["uploads.release"]({ operationId: id })
  yield* Console.log("held and released")

  const unknown = yield* client["uploads.hold"]({
    operationId: UploadOperationId.make("00000000-0000-7000-8000-000000000000")
  }).pipe(
    Effect.as("held"),
    Effect.catchTag("UploadNotFound", (error) => Effect.succeed(`UploadNotFound ${error.operationId}`))
  )
  yield* Console.log(unknown)

  const stranger = yield* makeAdminClient({
    baseUrl,
    token: Redacted.make("another-token-of-more-than-32-characters")
  })
  const refused = yield* stranger["uploads.hold"]({ operationId: id }).pipe(
    Effect.as("held"),
    Effect.catchTag("NotAdministrator", () => Effect.succeed("NotAdministrator"))
  )
  yield* Console.log(refused)
}).pipe(Effect.scoped, Effect.provide(FetchHttpClient.layer))

NodeRuntime.runMain(main)
