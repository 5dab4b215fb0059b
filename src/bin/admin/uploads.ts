import type { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { ActionReason } from "../../../schemas/accounts/administration/rpc.ts"
import { UploadOperationId } from "../../../schemas/platform/Ids.ts"
import { StuckLimit, StuckSeconds } from "../../../schemas/publishing/uploads/rpc.ts"
import { textArgument, textFlag, wholeFlag } from "../arguments/checkedArguments.ts"
import { actor, given, reasonForAuthor } from "./action.ts"
import { calling, type Client, url } from "./connection.ts"

const operationId = textArgument("operation-id", UploadOperationId).pipe(
  Argument.withDescription("The id of the upload operation")
)

const reason = textFlag("reason", ActionReason).pipe(
  Flag.withDescription("The reason, which the audit log keeps"),
  Flag.optional
)

/** The members of a call: the operation, and what the audit log keeps. */
interface Change {
  readonly operationId: UploadOperationId
  readonly actor?: string
  readonly reason?: string
}

/** The same, and the sentence for the owner. */
interface Decision extends Change {
  readonly reasonForAuthor?: string
}

const change = <E extends { readonly _tag: string }>(
  name: string,
  description: string,
  done: string,
  call: (client: Client, change: Change) => Effect.Effect<void, E>
) =>
  Command.make(name, { url, actor, reason, operationId }, (it) =>
    calling(
      it.url,
      (client) =>
        call(client, {
          operationId: it.operationId,
          ...given("actor", it.actor),
          ...given("reason", it.reason)
        }),
      () => [`${it.operationId} ${done}`]
    )
  ).pipe(Command.withDescription(description))

const decision = (
  name: string,
  description: string,
  done: string,
  call: (client: Client, decision: Decision) => Effect.Effect<void, { readonly _tag: string }>
) =>
  Command.make(name, { url, actor, reason, reasonForAuthor, operationId }, (it) =>
    calling(
      it.url,
      (client) =>
        call(client, {
          operationId: it.operationId,
          ...given("actor", it.actor),
          ...given("reason", it.reason),
          ...given("reasonForAuthor", it.reasonForAuthor)
        }),
      () => [`${it.operationId} ${done}`]
    )
  ).pipe(Command.withDescription(description))

const hold = decision(
  "hold",
  "Hide an image from all readers until it is released",
  "is held",
  (client, it) => client["uploads.hold"](it)
)

const release = decision("release", "End the hold of an image", "is released", (client, it) =>
  client["uploads.release"](it)
)

const rescreen = change("rescreen", "Screen an image once more", "is queued", (client, it) =>
  client["uploads.rescreen"](it)
)

const stuck = Command.make(
  "stuck",
  {
    url,
    olderThanSeconds: wholeFlag("older-than", StuckSeconds).pipe(
      Flag.withDescription("Seconds since the operation was created"),
      Flag.withDefault(3600)
    ),
    limit: wholeFlag("limit", StuckLimit).pipe(
      Flag.withDescription("Maximum number of lines, 1 to 1000"),
      Flag.withDefault(100)
    )
  },
  ({ limit, olderThanSeconds, url }) =>
    calling(
      url,
      (client) => client["uploads.stuck"]({ olderThanSeconds, limit }),
      (uploads) => uploads.map((upload) => JSON.stringify(upload))
    )
).pipe(Command.withDescription("List uploads that are unfinished or held, oldest first, a line of JSON each"))

/** Commands for uploads of images. */
export const uploads = Command.make("uploads").pipe(
  Command.withDescription("Uploads of images"),
  Command.withSubcommands([hold, release, rescreen, stuck])
)
