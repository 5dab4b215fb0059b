import { Command } from "effect/cli"
import { action, decision, handle } from "./action.ts"

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

/** Commands for accounts. */
export const accounts = Command.make("accounts").pipe(
  Command.withDescription("Accounts"),
  Command.withSubcommands([removeAgentLabel, restrict, unrestrict])
)
