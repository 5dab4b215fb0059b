import { Config, Console, Effect, Schema } from "effect"
import { CliError, Flag } from "effect/cli"
import type { HttpClient } from "effect/http"
import { serviceOrigin } from "../../../layers/config/environment.ts"
import { HttpUrl } from "../../../schemas/platform/Text.ts"
import { makeAdminClient } from "../../client/AdminClient.ts"
import { textFlag } from "../arguments/checkedArguments.ts"

const UNCLEAR = "HOST, PORT or PUBLIC_BASE_URL is not valid. Correct it, or name the service with --url."

/** The address of the running service. */
export const url = textFlag("url", HttpUrl).pipe(
  Flag.withDescription("The address of the service; by default PUBLIC_BASE_URL, or else HOST and PORT"),
  Flag.withDefault(Effect.mapError(serviceOrigin, () => new CliError.ValidationError({ message: UNCLEAR })))
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
  Effect.catchTag("ConfigError", () =>
    failed("ADMIN_TOKEN is not set. Set it to the value that the service has.")
  )
)

/** A client of the administrator's procedures. */
export type Client = Effect.Success<ReturnType<typeof connected>>

const messages: Readonly<Record<string, string>> = {
  NotAdministrator: "The service has another ADMIN_TOKEN. Set it to the same value here.",
  AccountNotFound: "No account has this handle.",
  PostNotFound: "There is no Post with this id.",
  CommentNotFound: "There is no Comment with this id.",
  ReportNotFound: "There is no report with this id.",
  ReportClaimed:
    "Another moderator has claimed the report. `admin reports list --status claimed` shows until when.",
  ReportResolved: "The report was already resolved with another outcome.",
  InvalidCursor: "The cursor does not belong to this list. Use the nextCursor of its previous page.",
  ObligationNotFound: "There is no obligation with this id.",
  ObligationNotOwed: "The obligation is blocked, or was already paid with another block.",
  ObligationBlockMismatch: "The block is no send of this amount to the bound address, or was already used.",
  ObligationBlockUnconfirmed:
    "The ledger has not confirmed this block yet. Check its hash, and run the command again in a few seconds.",
  ObligationLedgerAway: "The ledger is unavailable. Nothing was recorded: run the command again later.",
  SettlementNotFound: "There is no settlement with this id; a refused one is removed after 30 days.",
  SubscriberImportNotFound:
    "No readers of an import with this id wait. `admin readers list` shows those that do.",
  UploadNotFound: "There is no upload operation with this id.",
  UploadNotScreenable:
    "The upload cannot be screened: it was cancelled, or its file never arrived or was removed."
}

/** Returns the reason of a failed call in words. */
const explained = <A, E extends { readonly _tag: string }, R>(call: Effect.Effect<A, E, R>, url: string) =>
  Effect.catch(call, ({ _tag }) =>
    failed(
      messages[_tag] ??
        `Nothing answers at ${url}/rpc. Start the service with an ADMIN_TOKEN, or name it with --url.`
    )
  )

/** Calls the service and prints the answer as `print` says. Fails with a message for the person who called. */
export const calling = <A, E extends { readonly _tag: string }>(
  url: string,
  call: (client: Client) => Effect.Effect<A, E>,
  print: (answer: A) => ReadonlyArray<string>
): Effect.Effect<void, Error, HttpClient.HttpClient> =>
  connected(url).pipe(
    Effect.flatMap((client) => explained(call(client), url)),
    Effect.flatMap((answer) => Effect.forEach(print(answer), (line) => Console.log(line), { discard: true })),
    Effect.scoped
  )
