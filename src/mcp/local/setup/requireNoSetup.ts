import { Effect } from "effect"
import type { ToolFailure } from "../../../../schemas/mcp/ToolFailure.ts"
import { marked } from "../failures/marked.ts"
import type { Transaction } from "../ports/StateStore.ts"
import { readIdentity } from "../state/identity.sql.ts"
import { readSetup } from "../state/setup.sql.ts"

/**
 * Checks that a directory has neither an identity nor a setup of a wallet of its own: such a wallet may have signed in
 * already. Fails with the command that finishes that setup.
 */
export const requireNoSetup = (tx: Transaction): Effect.Effect<void, ToolFailure> => {
  if (readIdentity(tx) !== undefined) return Effect.fail(marked("identity-already-selected"))
  const intent = readSetup(tx)?.intent ?? null
  return intent === null
    ? Effect.void
    : Effect.fail(marked("setup-incomplete", { nextStep: `Run \`svc-mcp setup new-${intent}\`` }))
}
