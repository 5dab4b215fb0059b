import { Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { statements } from "../sql/statements.ts"
import { claimName, type IdempotencyClaim, type IdempotencyScope, idempotencyScopes } from "./claim.ts"

const IdempotencyRow = Schema.Struct({
  fingerprint: Schema.Uint8Array,
  resource_id: Schema.String,
  response: Schema.NullOr(Schema.String)
})

const TakenRow = Schema.Struct({ resource_id: Schema.String })

export interface NamedRequest {
  readonly scope: IdempotencyScope
  readonly scopeId: string
  readonly idempotencyKey: string
}

/** Statements over `idempotency_records`: requests with an Idempotency-Key. */
export const idempotencyRecordStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { changed, maybe, run } = statements(sql, "idempotencyRecords")
  const named = ({ idempotencyKey, scope, scopeId }: NamedRequest) =>
    sql`scope = ${scope} and scope_id = ${scopeId} and idempotency_key = ${idempotencyKey}`

  return {
    /** Returns true for the request that claims the name. The claim holds once the surrounding transaction commits. */
    claim: Effect.fn("idempotencyRecords.claim")(
      (claim: IdempotencyClaim) => Effect.map(claimName(sql, claim), (rows) => rows.length === 1),
      Effect.orDie
    ),

    find: (request: NamedRequest) => maybe("find", IdempotencyRow)`
      select fingerprint, resource_id, response::text from idempotency_records where ${named(request)}`,

    /** Returns true while a request holds the name. */
    isTaken: (request: NamedRequest, at: Date) =>
      Effect.map(
        maybe("isTaken", TakenRow)`
          select resource_id from idempotency_records
          where ${named(request)} and (expires_at is null or expires_at > ${at})`,
        Option.isSome
      ),

    /** Keeps the answer of the request that holds the name, as JSON. */
    keepResponse: (request: NamedRequest, response: string) => run("keepResponse")`
      update idempotency_records set response = ${response}::jsonb where ${named(request)}`,

    /** Erases requests of an owner, or of keys: of any of these ids. */
    eraseSome: (ids: ReadonlyArray<string>, limit: number) => changed("eraseSome")`
      delete from idempotency_records where ctid = any(array(
        select ctid from idempotency_records
        where scope = any(${[...idempotencyScopes]}::text[]) and scope_id = any(${ids}::uuid[]) limit ${limit}))`,

    sweep: (expiredBefore: Date) =>
      run("sweep")`delete from idempotency_records where expires_at < ${expiredBefore}`
  }
})

/** Erases requests of accounts that are deleted. */
export const idempotencyRecordErasure = Effect.map(idempotencyRecordStatements, ({ eraseSome }) => ({
  eraseSome
}))
