import type { SqlClient } from "effect/sql"

/** The scope within which an Idempotency-Key is unique. */
export const idempotencyScopes = [
  "api_key_issuance",
  "code_form",
  "code_page",
  "gift_issuance",
  "import",
  "import_step",
  "kept_form",
  "post_creation",
  "post_publication",
  "post_unpublication",
  "registration",
  "webhook_creation"
] as const
export type IdempotencyScope = (typeof idempotencyScopes)[number]

export interface IdempotencyClaim {
  readonly scope: IdempotencyScope
  /** The owner or the Publishing key that sent the name. */
  readonly scopeId: string
  readonly idempotencyKey: string
  readonly fingerprint: Uint8Array
  readonly resourceId: string
  readonly at: Date
  /** The moment at which the claim ends; null means never. */
  readonly expiresAt: Date | null
  /** The answer that repeats get, as JSON. Without it, keep one in the transaction of the claim. */
  readonly response?: string
}

/**
 * The insert that claims the name of a request. Returns one row for the first request, and none while another request
 * holds the name. Put it first in the statement or transaction that does the work. A second process then waits here for
 * the first to commit, and sees its record. A failure releases the name.
 */
export const claimName = (sql: SqlClient.SqlClient, claim: IdempotencyClaim) => sql`
  insert into idempotency_records as record
    (scope, scope_id, idempotency_key, fingerprint, resource_id, created_at, expires_at, response)
  values (${claim.scope}, ${claim.scopeId}::uuid, ${claim.idempotencyKey}, ${claim.fingerprint},
    ${claim.resourceId}::uuid, ${claim.at}, ${claim.expiresAt},
    ${claim.response === undefined ? sql`null` : sql`${claim.response}::jsonb`})
  on conflict (scope, scope_id, idempotency_key) do update
  set fingerprint = excluded.fingerprint, resource_id = excluded.resource_id, response = excluded.response,
    created_at = excluded.created_at, expires_at = excluded.expires_at
  where record.expires_at <= excluded.created_at
  returning resource_id`
