import type { SqlClient } from "effect/sql"

/** What an Idempotency-Key is unique within. */
export type IdempotencyScope =
  | "api_key_issuance"
  | "post_creation"
  | "post_publication"
  | "post_unpublication"
  | "registration"

export interface IdempotencyClaim {
  readonly scope: IdempotencyScope
  /** The owner or the Publishing key whose name this is. */
  readonly scopeId: string
  readonly idempotencyKey: string
  readonly fingerprint: Uint8Array
  readonly resourceId: string
  readonly at: Date
  /** Until when the name is taken; null for ever. */
  readonly expiresAt: Date | null
}

/** The values of a claim, by their names. */
export const claimMembers = [
  "scope",
  "scopeId",
  "idempotencyKey",
  "fingerprint",
  "resourceId",
  "at",
  "expiresAt"
] as const satisfies ReadonlyArray<keyof IdempotencyClaim>

/** For a statement that claims no name. */
export const noClaim: Readonly<Record<keyof IdempotencyClaim, null>> = {
  scope: null,
  scopeId: null,
  idempotencyKey: null,
  fingerprint: null,
  resourceId: null,
  at: null,
  expiresAt: null
}

/**
 * The insert that takes the name of a request: one row for the first, none while the name is taken. It stands
 * first in the statement or transaction that does the work, so that a second process waits here for the first one
 * to commit and then sees its record, and a failure gives the name back.
 */
export const claimName = (
  sql: SqlClient.SqlClient,
  claim: Readonly<Record<keyof IdempotencyClaim, unknown>>
) => sql`
  insert into idempotency_records as record
    (scope, scope_id, idempotency_key, fingerprint, resource_id, created_at, expires_at)
  values (${claim.scope}, ${claim.scopeId}::uuid, ${claim.idempotencyKey}, ${claim.fingerprint},
    ${claim.resourceId}::uuid, ${claim.at}, ${claim.expiresAt})
  on conflict (scope, scope_id, idempotency_key) do update
  set fingerprint = excluded.fingerprint, resource_id = excluded.resource_id, response = null,
    created_at = excluded.created_at, expires_at = excluded.expires_at
  where record.expires_at <= excluded.created_at
  returning resource_id`
