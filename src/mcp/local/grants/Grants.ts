import { Effect } from "effect"
import type { ToolFailure } from "../../../../schemas/mcp/ToolFailure.ts"
import { marked } from "../failures/marked.ts"
import type { Transaction } from "../ports/StateStore.ts"
import { type Grant, type GrantKind, grantsOf } from "../state/grants.sql.ts"
import { readIdentity } from "../state/identity.sql.ts"

/** The commands by which a person gives a permission. */
const COMMANDS: Readonly<Record<GrantKind, (postId: string) => string>> = {
  discussion: () => "svc-mcp grant discussion",
  draft: (postId) => `svc-mcp grant draft --post ${postId}`,
  standing: () => "svc-mcp publication attest --standing",
  spending: () => "svc-mcp grant spending --workflow buy_post --max-total-raw … --max-each-raw … --expires …"
}

/** An act that needs a grant. */
export interface Act {
  readonly kind: GrantKind
  readonly origin: string
  readonly postId?: string
  readonly revision?: string
}

/** Returns true for a grant that is neither used, expired nor revoked. */
export const isActive = (tx: Transaction, { expiresAt, revokedAt, usedAt }: Grant) =>
  usedAt === null && revokedAt === null && expiresAt > tx.now

const isFor = (grant: Grant, act: Act) =>
  (grant.postId === null || grant.postId === act.postId) &&
  (grant.revision === null || grant.revision === act.revision)

/**
 * Returns the active grant for an act. It is called in the transaction that authorizes the act, and again in the one
 * before its first byte. Fails with the command that a person would run.
 */
export const requireGrant = (tx: Transaction, act: Act): Effect.Effect<Grant, ToolFailure> =>
  Effect.gen(function* () {
    const identity = readIdentity(tx)
    if (identity === undefined) return yield* marked("identity-not-selected")
    const nextStep = `Ask a person to run \`${COMMANDS[act.kind](act.postId ?? "…")}\``
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
