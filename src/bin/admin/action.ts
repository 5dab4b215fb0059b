import { type Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { AccountHandle, ActionReason, ActorName } from "../../../schemas/accounts/administration/rpc.ts"
import { textArgument, textFlag } from "../arguments/checkedArguments.ts"
import { calling, type Client, url } from "./connection.ts"

/** The flags of every action, which the audit log keeps. */
export const reason = textFlag("reason", ActionReason).pipe(
  Flag.withDescription("The reason, which the audit log keeps")
)

/** The sentence that the owner reads. */
export const reasonForAuthor = textFlag("for-author", ActionReason).pipe(
  Flag.withDescription("A sentence for the owner, who reads it in a notification and a mail"),
  Flag.optional
)

/** The name of the person who acts. */
export const actor = textFlag("actor", ActorName).pipe(
  Flag.withDescription("Your name, for the audit log; `administrator` by default"),
  Flag.optional
)

/** Prints answers as JSON. */
export const json = Flag.Boolean("json").pipe(
  Flag.withDefault(false),
  Flag.withDescription("Print the answer as a line of JSON")
)

/** Returns the member of an optional flag, or nothing. */
export const given = <const Name extends string, A>(name: Name, flag: Option.Option<A>) =>
  // An object literal with a computed name has no such type of its own.
  (Option.isSome(flag) ? { [name]: flag.value } : {}) as { readonly [K in Name]?: A }

/** The handle of an account. */
export const handle = textArgument("handle", AccountHandle).pipe(
  Argument.withDescription("The handle of the account, without @")
)

/** The person and the reason behind an action. */
type Because = { readonly actor?: string; readonly reason: string }

/** The same, and the sentence for the owner. */
type Decision = Because & { readonly reasonForAuthor?: string }

/** Makes a command that does something to the thing that its argument names. */
export const action = <Subject, A, E extends { readonly _tag: string }>(
  name: string,
  description: string,
  subject: Argument.Argument<Subject>,
  call: (client: Client, subject: Subject, because: Because) => Effect.Effect<A, E>,
  told: (answer: A) => string
) =>
  Command.make(name, { url, actor, json, reason, subject }, (it) =>
    calling(
      it.url,
      (client) => call(client, it.subject, { reason: it.reason, ...given("actor", it.actor) }),
      (answer) => [it.json ? JSON.stringify(answer) : told(answer)]
    )
  ).pipe(Command.withDescription(description))

/** Makes such a command for a decision, which also takes a sentence for the owner. */
export const decision = <Subject, A, E extends { readonly _tag: string }>(
  name: string,
  description: string,
  subject: Argument.Argument<Subject>,
  call: (client: Client, subject: Subject, because: Decision) => Effect.Effect<A, E>,
  told: (answer: A) => string
) =>
  Command.make(name, { url, actor, json, reason, reasonForAuthor, subject }, (it) =>
    calling(
      it.url,
      (client) =>
        call(client, it.subject, {
          reason: it.reason,
          ...given("actor", it.actor),
          ...given("reasonForAuthor", it.reasonForAuthor)
        }),
      (answer) => [it.json ? JSON.stringify(answer) : told(answer)]
    )
  ).pipe(Command.withDescription(description))
