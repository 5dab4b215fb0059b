import { Command, Flag } from "effect/cli"
import { action, actor, decision, given, handle, json, reason } from "./action.ts"
import { calling, url } from "./connection.ts"

const removeAgentLabel = action(
  "remove-agent-label",
  "Remove the label `agent` from an account",
  handle,
  (client, handle, because) => client["accounts.removeAgentLabel"]({ handle, ...because }),
  (account) => `${account.handle} (${account.ownerId}) is ${account.authorKind}`
)

const restrict = decision(
  "restrict",
  "Restrict an account: it can sign in and read, but nothing of it is public",
  handle,
  (client, handle, because) => client["accounts.restrict"]({ handle, ...because }),
  (account) => `${account.handle} (${account.ownerId}) is restricted`
)

const unrestrict = decision(
  "unrestrict",
  "End the restriction of an account: its hidden Posts and Comments return",
  handle,
  (client, handle, because) => client["accounts.unrestrict"]({ handle, ...because }),
  (account) => `${account.handle} (${account.ownerId}) is not restricted`
)

const isNow = Flag.Boolean("now").pipe(
  Flag.withDefault(false),
  Flag.withDescription("Erase it at once, and not 14 days later")
)

const remove = Command.make("delete", { url, actor, json, reason, isNow, handle }, (it) =>
  calling(
    it.url,
    (client) =>
      client["accounts.delete"]({
        handle: it.handle,
        now: it.isNow,
        reason: it.reason,
        ...given("actor", it.actor)
      }),
    (account) => [
      it.json
        ? JSON.stringify(account)
        : `${account.handle} (${account.ownerId}) is closed, and is erased from ${account.dueAt} on`
    ]
  )
).pipe(
  Command.withDescription("Delete an account: it is off the site at once, and buyers keep what they bought")
)

/** Commands for accounts. */
export const accounts = Command.make("accounts").pipe(
  Command.withDescription("Accounts"),
  Command.withSubcommands([remove, removeAgentLabel, restrict, unrestrict])
)
