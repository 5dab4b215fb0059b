import { Schema } from "effect"
import type { Transaction } from "../ports/StateStore.ts"

const GrantKind = Schema.Literals(["discussion", "draft", "standing", "spending"])
export type GrantKind = typeof GrantKind.Type

const GrantRow = Schema.Struct({
  id: Schema.String,
  kind: GrantKind,
  origin: Schema.String,
  owner_id: Schema.String,
  profile_id: Schema.String,
  post_id: Schema.NullOr(Schema.String),
  revision: Schema.NullOr(Schema.String),
  digest: Schema.NullOr(Schema.String),
  workflow: Schema.NullOr(Schema.String),
  max_total_raw: Schema.NullOr(Schema.String),
  max_each_raw: Schema.NullOr(Schema.String),
  made_at: Schema.Finite,
  expires_at: Schema.Finite,
  used_at: Schema.NullOr(Schema.Finite),
  revoked_at: Schema.NullOr(Schema.Finite)
})

/** A permission of a person, bound to an origin, an owner and a Profile. Times are milliseconds since 1970. */
export interface Grant {
  readonly id: string
  readonly kind: GrantKind
  readonly origin: string
  readonly ownerId: string
  readonly profileId: string
  readonly postId: string | null
  readonly revision: string | null
  /** SHA-256 of the texts that the person saw. */
  readonly digest: string | null
  readonly workflow: string | null
  readonly maxTotalRaw: bigint | null
  readonly maxEachRaw: bigint | null
  readonly madeAt: number
  readonly expiresAt: number
  readonly usedAt: number | null
  readonly revokedAt: number | null
}

const decode = Schema.decodeUnknownSync(GrantRow)

const rawOf = (digits: string | null) => (digits === null ? null : BigInt(digits))

const grantOf = (found: unknown): Grant => {
  const row = decode(found)
  return {
    id: row.id,
    kind: row.kind,
    origin: row.origin,
    ownerId: row.owner_id,
    profileId: row.profile_id,
    postId: row.post_id,
    revision: row.revision,
    digest: row.digest,
    workflow: row.workflow,
    maxTotalRaw: rawOf(row.max_total_raw),
    maxEachRaw: rawOf(row.max_each_raw),
    madeAt: row.made_at,
    expiresAt: row.expires_at,
    usedAt: row.used_at,
    revokedAt: row.revoked_at
  }
}

/** Returns the grants of a kind, newest first. */
export const grantsOf = (tx: Transaction, kind: GrantKind): ReadonlyArray<Grant> =>
  tx.all(`select * from grants where kind = ? order by made_at desc, id desc limit 100`, kind).map(grantOf)

/** Returns a grant by its id. */
export const readGrant = (tx: Transaction, id: string): Grant | undefined => {
  const found = tx.first(`select * from grants where id = ?`, id)
  return found === undefined ? undefined : grantOf(found)
}

/** Returns the grants that are neither used, expired nor revoked, newest first. */
export const activeGrants = (tx: Transaction): ReadonlyArray<Grant> =>
  tx
    .all(
      `select * from grants where used_at is null and revoked_at is null and expires_at > ?
       order by made_at desc, id desc`,
      tx.now
    )
    .map(grantOf)

/** Saves a grant, which is active from the commit on. */
export const insertGrant = (tx: Transaction, grant: Omit<Grant, "madeAt" | "revokedAt" | "usedAt">): void => {
  tx.run(
    `insert into grants (id, kind, origin, owner_id, profile_id, post_id, revision, digest, workflow,
       max_total_raw, max_each_raw, made_at, expires_at)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    grant.id,
    grant.kind,
    grant.origin,
    grant.ownerId,
    grant.profileId,
    grant.postId,
    grant.revision,
    grant.digest,
    grant.workflow,
    grant.maxTotalRaw?.toString() ?? null,
    grant.maxEachRaw?.toString() ?? null,
    tx.now,
    grant.expiresAt
  )
}

/** Uses up a grant that allows one act. */
export const useGrant = (tx: Transaction, id: string): boolean =>
  tx.run(`update grants set used_at = ? where id = ? and used_at is null`, tx.now, id) === 1

/**
 * Ends all grants of a kind for good, including used ones, whose act may not have been sent yet. Returns their number.
 */
export const revokeGrants = (tx: Transaction, kind: GrantKind): number =>
  tx.run(
    `update grants set revoked_at = ? where kind = ? and revoked_at is null and expires_at > ?`,
    tx.now,
    kind,
    tx.now
  )
