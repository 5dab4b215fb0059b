import { Config, Console, Effect, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { FetchHttpClient } from "effect/http"
import { UploadOperationId } from "../../schemas/platform/Ids.ts"
import { makeAdminClient } from "../client/AdminClient.ts"

const url = Flag.String("url").pipe(
  Flag.withDescription("Where the service is"),
  Flag.withFallbackConfig(Config.NonEmptyString("PUBLIC_BASE_URL")),
  Flag.withDefault("http://localhost:4020")
)

const operationId = Argument.String("operation-id").pipe(
  Argument.withSchema(UploadOperationId),
  Argument.withDescription("The id of the upload operation")
)

/** Fails a command with the reason why nothing was done. */
class AdminFailed extends Schema.TaggedError<AdminFailed>()("AdminFailed", { message: Schema.String }) {}

const failed = (message: string) => Effect.fail(new AdminFailed({ message }))

/** Connects to the running service with the token of the environment. */
const connected = Effect.fnUntraced(
  function* (baseUrl: string) {
    const token = yield* Config.Redacted("ADMIN_TOKEN")
    return yield* makeAdminClient({ baseUrl: baseUrl.replace(/\/$/, ""), token })
  },
  Effect.catchTag("ConfigError", () => failed("ADMIN_TOKEN is not set, which has to be that of the service."))
)

const explained = <A, E extends { readonly _tag: string }, R>(call: Effect.Effect<A, E, R>, url: string) =>
  Effect.catch(call, (error) => {
    switch (error._tag) {
      case "NotAdministrator":
        return failed("The service has another ADMIN_TOKEN than this one.")
      case "AccountNotFound":
        return failed("No account has this handle.")
      case "UploadNotFound":
        return failed("There is no upload operation of this id.")
      case "UploadNotScreenable":
        return failed("The upload cannot be screened: it is cancelled, or its bytes never came or are gone.")
      default:
        return failed(`The service does not answer at ${url}/rpc, or was started without an ADMIN_TOKEN.`)
    }
  })

type Client = Effect.Success<ReturnType<typeof connected>>

const change = <E extends { readonly _tag: string }>(
  name: string,
  description: string,
  done: string,
  call: (client: Client, operationId: UploadOperationId) => Effect.Effect<void, E>
) =>
  Command.make(name, { url, operationId }, (it) =>
    connected(it.url).pipe(
      Effect.flatMap((client) => explained(call(client, it.operationId), it.url)),
      Effect.andThen(Console.log(`${it.operationId} ${done}`)),
      Effect.scoped
    )
  ).pipe(Command.withDescription(description))

const hold = change(
  "hold",
  "Show an image to nobody until it is released",
  "is held",
  (client, operationId) => client["uploads.hold"]({ operationId })
)

const release = change("release", "End the hold of an image", "is released", (client, operationId) =>
  client["uploads.release"]({ operationId })
)

const rescreen = change("rescreen", "Screen an image once more", "is queued", (client, operationId) =>
  client["uploads.rescreen"]({ operationId })
)

const stuck = Command.make(
  "stuck",
  {
    url,
    olderThanSeconds: Flag.Int("older-than").pipe(
      Flag.withDescription("Seconds since the operation was created"),
      Flag.withDefault(3600)
    ),
    limit: Flag.Int("limit").pipe(Flag.withDescription("Lines at most, 1 to 1000"), Flag.withDefault(100))
  },
  ({ limit, olderThanSeconds, url }) =>
    Effect.gen(function* () {
      const client = yield* connected(url)
      const uploads = yield* explained(client["uploads.stuck"]({ olderThanSeconds, limit }), url)
      for (const upload of uploads) yield* Console.log(JSON.stringify(upload))
    }).pipe(Effect.scoped)
).pipe(Command.withDescription("List uploads that are unfinished or held, oldest first, a line of JSON each"))

const uploads = Command.make("uploads").pipe(
  Command.withDescription("Uploads of images"),
  Command.withSubcommands([hold, release, rescreen, stuck])
)

const removeAgentLabel = Command.make(
  "remove-agent-label",
  {
    url,
    handle: Argument.String("handle").pipe(Argument.withDescription("The handle of the account, without @")),
    reason: Flag.String("reason").pipe(Flag.withDescription("The reason, which the audit log keeps"))
  },
  ({ handle, reason, url }) =>
    Effect.gen(function* () {
      const client = yield* connected(url)
      const account = yield* explained(client["accounts.removeAgentLabel"]({ handle, reason }), url)
      yield* Console.log(`${account.handle} (${account.ownerId}) is ${account.authorKind}`)
    }).pipe(Effect.scoped)
).pipe(Command.withDescription("Remove the label `agent` of an account"))

const accounts = Command.make("accounts").pipe(
  Command.withDescription("Accounts"),
  Command.withSubcommands([removeAgentLabel])
)

/** Commands of an administrator, sent over RPC to the running service. They need `ADMIN_TOKEN` in the environment. */
export const adminCommand = Command.make("admin").pipe(
  Command.withDescription("Administer a service that runs, with its ADMIN_TOKEN in the environment"),
  Command.withSubcommands([accounts, uploads]),
  Command.provide(FetchHttpClient.layer)
)
