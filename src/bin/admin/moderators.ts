import { Command } from "effect/cli"
import { action, handle } from "./action.ts"
import { calling, url } from "./connection.ts"

const add = action(
  "add",
  "Make an account a moderator: it finds reports, uploads and accounts at /moderate",
  handle,
  (client, handle, because) => client["moderators.add"]({ handle, ...because }),
  (account) =>
    account.isRestricted
      ? `${account.handle} (${account.ownerId}) is a moderator, and may do nothing while the account is restricted`
      : `${account.handle} (${account.ownerId}) is a moderator`
)

const remove = action(
  "remove",
  "End an account's right to moderate, from its next request on",
  handle,
  (client, handle, because) => client["moderators.remove"]({ handle, ...because }),
  (account) => `${account.handle} (${account.ownerId}) is not a moderator`
)

const list = Command.make("list", { url }, ({ url }) =>
  calling(
    url,
    (client) => client["moderators.list"](),
    (all) => all.map((moderator) => JSON.stringify(moderator))
  )
).pipe(Command.withDescription("List the moderators, a line of JSON each"))

/** Commands for accounts that moderate. */
export const moderators = Command.make("moderators").pipe(
  Command.withDescription("Accounts that moderate"),
  Command.withSubcommands([add, remove, list])
)
