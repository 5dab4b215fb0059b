import { Schema } from "effect"
import type { Transaction } from "../ports/StateStore.ts"
import { LEASE_MILLIS, secondsUntil } from "./leases.sql.ts"

const IntentPhase = Schema.Literals(["authorized", "possibly-dispatched", "complete"])
type IntentPhase = typeof IntentPhase.Type

const IntentRow = Schema.Struct({
  id: Schema.String,
  tool: Schema.String,
  owner_id: Schema.String,
  key_id: Schema.NullOr(Schema.String),
  digest: Schema.String,
  arguments: Schema.String,
  request: Schema.NullOr(Schema.String),
  idempotency_key: Schema.String,
  phase: IntentPhase,
  authorized_at: Schema.Finite,
  dispatched_at: Schema.NullOr(Schema.Finite),
  completed_at: Schema.NullOr(Schema.Finite),
  outcome: Schema.NullOr(Schema.String),
  lease_owner: Schema.NullOr(Schema.String),
  lease_ends_at: Schema.NullOr(Schema.Finite)
})

/** One requested write and its progress. Times are milliseconds since 1970. */
export interface Intent {
  readonly id: string
  readonly tool: string
  readonly ownerId: string
  /** The Publishing key at the time of authorization, to which Idempotency-Keys belong. */
  readonly keyId: string | null
  readonly digest: string
  /** The arguments of the tool as JSON. */
  readonly arguments: string
  /** JSON that the authorization saved for sending and resuming; never a secret. */
  readonly request: string | null
  readonly idempotencyKey: string
  readonly phase: IntentPhase
  readonly authorizedAt: number
  readonly dispatchedAt: number | null
  readonly completedAt: number | null
  /** The result or the refusal as JSON, once it is complete. */
  readonly outcome: string | null
  readonly leaseOwner: string | null
  readonly leaseEndsAt: number | null
}

const decode = Schema.decodeUnknownSync(IntentRow)

const intentOf = (found: unknown): Intent => {
  const row = decode(found)
  return {
    id: row.id,
    tool: row.tool,
    ownerId: row.owner_id,
    keyId: row.key_id,
    digest: row.digest,
    arguments: row.arguments,
    request: row.request,
    idempotencyKey: row.idempotency_key,
    phase: row.phase,
    authorizedAt: row.authorized_at,
    dispatchedAt: row.dispatched_at,
    completedAt: row.completed_at,
    outcome: row.outcome,
    leaseOwner: row.lease_owner,
    leaseEndsAt: row.lease_ends_at
  }
}

/** Returns an intent by its id. */
export const readIntent = (tx: Transaction, id: string): Intent | undefined => {
  const found = tx.first(`select * from intents where id = ?`, id)
  return found === undefined ? undefined : intentOf(found)
}

/** Returns the newest intent of these arguments that is not complete, or was completed with a result since this time. */
export const findIntent = (tx: Transaction, digest: string, since: number): Intent | undefined => {
  const found = tx.first(
    `select * from intents where digest = ? and (phase <> 'complete' or (completed_at >= ?
       and outcome like '{"result":%'))
     order by authorized_at desc, id desc limit 1`,
    digest,
    since
  )
  return found === undefined ? undefined : intentOf(found)
}

/** Returns the intents that are not complete, oldest first. */
export const incompleteIntents = (tx: Transaction, ownerId: string, limit: number): ReadonlyArray<Intent> =>
  tx
    .all(
      `select * from intents where phase <> 'complete' and owner_id = ? order by authorized_at, id limit ?`,
      ownerId,
      limit
    )
    .map(intentOf)

/** Returns the number of an owner's intents that are not complete. */
export const countIncomplete = (tx: Transaction, ownerId: string): number =>
  Number(
    tx.first(`select count(*) as n from intents where phase <> 'complete' and owner_id = ?`, ownerId)?.["n"]
  )

type NewIntent = Pick<
  Intent,
  "arguments" | "digest" | "id" | "idempotencyKey" | "keyId" | "ownerId" | "request" | "tool"
>

/** Saves an authorized intent, and its lease for a process. */
export const insertIntent = (tx: Transaction, intent: NewIntent, leaseOwner: string): void => {
  tx.run(
    `insert into intents (id, tool, owner_id, key_id, digest, arguments, request, idempotency_key, phase,
       authorized_at, lease_owner, lease_ends_at)
     values (?, ?, ?, ?, ?, ?, ?, ?, 'authorized', ?, ?, ?)`,
    intent.id,
    intent.tool,
    intent.ownerId,
    intent.keyId,
    intent.digest,
    intent.arguments,
    intent.request,
    intent.idempotencyKey,
    tx.now,
    leaseOwner,
    tx.now + LEASE_MILLIS
  )
}

/** Takes the lease of an intent, or renews it. Returns false while another process has it. */
export const leaseIntent = (tx: Transaction, id: string, leaseOwner: string): boolean =>
  tx.run(
    `update intents set lease_owner = ?, lease_ends_at = ?
     where id = ? and (lease_owner is null or lease_owner = ? or lease_ends_at <= ?)`,
    leaseOwner,
    tx.now + LEASE_MILLIS,
    id,
    leaseOwner,
    tx.now
  ) === 1

/** Renews the lease of an intent for a process that still has it. */
export const renewIntent = (tx: Transaction, id: string, leaseOwner: string): void => {
  tx.run(
    `update intents set lease_ends_at = ? where id = ? and lease_owner = ?`,
    tx.now + LEASE_MILLIS,
    id,
    leaseOwner
  )
}

/** Returns the seconds until the lease of an intent ends; undefined when no process has it. */
export const secondsOfIntent = (tx: Transaction, id: string): number | undefined => {
  const endsAt = readIntent(tx, id)?.leaseEndsAt ?? tx.now
  return endsAt > tx.now ? secondsUntil(tx, endsAt) : undefined
}

/** Ends the lease of an intent that its process gives up. */
export const releaseIntent = (tx: Transaction, id: string, leaseOwner: string): void => {
  tx.run(
    `update intents set lease_owner = null, lease_ends_at = null where id = ? and lease_owner = ?`,
    id,
    leaseOwner
  )
}

/** Records that the request may have been sent. */
export const dispatchIntent = (tx: Transaction, id: string): void => {
  tx.run(
    `update intents set phase = 'possibly-dispatched', dispatched_at = ? where id = ? and phase = 'authorized'`,
    tx.now,
    id
  )
}

/** Saves the outcome of an intent. Returns false if it was already complete. */
export const completeIntent = (tx: Transaction, id: string, outcome: string): boolean =>
  tx.run(
    `update intents set phase = 'complete', completed_at = ?, outcome = ?, lease_owner = null, lease_ends_at = null
     where id = ? and phase <> 'complete'`,
    tx.now,
    outcome,
    id
  ) === 1
