import { Command } from "effect/cli"
import { FetchHttpClient } from "effect/http"
import { accounts } from "./admin/accounts.ts"
import { comments, posts } from "./admin/content.ts"
import { obligations } from "./admin/obligations.ts"
import { audit, reports } from "./admin/reports.ts"
import { settlements } from "./admin/settlements.ts"
import { uploads } from "./admin/uploads.ts"

/** Commands of an administrator, sent over RPC to the running service. They need `ADMIN_TOKEN` in the environment. */
export const adminCommand = Command.make("admin").pipe(
  Command.withDescription("Administer a running service, with its ADMIN_TOKEN in the environment"),
  Command.withSubcommands([accounts, audit, comments, obligations, posts, reports, settlements, uploads]),
  Command.provide(FetchHttpClient.layer)
)
