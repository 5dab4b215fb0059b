import { Effect } from "effect"
import type { ToolFailure } from "../../../../schemas/mcp/ToolFailure.ts"
import { xnoOfRaw } from "../../../../schemas/platform/Nano.ts"
import { marked } from "../failures/marked.ts"
import type { Transaction } from "../ports/StateStore.ts"
import { type Grant, grantsOf } from "../state/grants.sql.ts"
import { readIdentity } from "../state/identity.sql.ts"

/** An act that needs a grant, with the values that its grant is bound to. */
export type Act = { readonly origin: string } & (
  | { readonly kind: "discussion" | "standing" }
  | { readonly kind: "draft"; readonly postId: string; readonly revision: string }
  | { readonly kind: "spending"; readonly amountRaw: bigint }
)

/** Returns the command by which a person gives the permission for an act. */
const commandFor = (act: Act): string => {
  switch (act.kind) {
    case "discussion":
      return "svc-mcp grant discussion"
    case "standing":
      return "svc-mcp publication attest --standing"
    case "draft":
      return `svc-mcp grant draft --post ${act.postId}`
    case "spending":
      return `svc-mcp grant spending --workflow buy_post --max-total ${xnoOfRaw(act.amountRaw)} --max-each ${xnoOfRaw(act.amountRaw)} --expires 1d`
  }
}

/** Returns the next step of a caller without the permission for an act. */
export const askFor = (act: Act): string => `Ask a person to run \`${commandFor(act)}\``

/** Returns true for a grant that is neither used, expired nor revoked. */
export const isActive = (tx: Transaction, { expiresAt, revokedAt, usedAt }: Grant) =>
  usedAt === null && revokedAt === null && expiresAt > tx.now

const isFor = (grant: Grant, act: Act) =>
  act.kind === "draft" ? grant.postId === act.postId && grant.revision === act.revision : true

/**
 * Returns the active grant for an act. It is called in the transaction that authorizes the act, and again in the one
 * before its first byte. Fails with the command that a person would run.
 */
export const requireGrant = (tx: Transaction, act: Act): Effect.Effect<Grant, ToolFailure> =>
  Effect.gen(function* () {
    const identity = readIdentity(tx)
    if (identity === undefined) return yield* marked("identity-not-selected")
    const nextStep = askFor(act)
    const all = grantsOf(tx, act.kind)
    const own = all.filter(
      ({ origin, ownerId, profileId }) =>
        origin === act.origin && ownerId === identity.ownerId && profileId === identity.profileId
    )
    const active = own.filter((grant) => isActive(tx, grant))
    const found = active.find((grant) => isFor(grant, act))
    if (found !== undefined) return found
    if (active.length > 0 || all.length > own.length) {
      return yield* marked("grant-binding-mismatch", { nextStep })
    }
    // The newest grant decides: a revoked grant is gone, and an expired one can be given again.
    const newest = own.find((grant) => isFor(grant, act))
    const hasExpired =
      newest !== undefined &&
      newest.expiresAt <= tx.now &&
      newest.usedAt === null &&
      newest.revokedAt === null
    return yield* marked(hasExpired ? "grant-expired" : "grant-required", { nextStep })
  })
