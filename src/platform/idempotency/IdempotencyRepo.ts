import { Context, Effect, Layer, type Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import type { IdempotencyClaim, IdempotencyScope } from "./claim.ts"
import { claimName } from "./claim.ts"

export const IdempotencyRow = Schema.Struct({
  fingerprint: Schema.Uint8Array,
  resource_id: Schema.String,
  response: Schema.NullOr(Schema.String)
})
export type IdempotencyRow = typeof IdempotencyRow.Type

export interface NamedRequest {
  readonly scope: IdempotencyScope
  readonly scopeId: string
  readonly idempotencyKey: string
}

/** The records of requests with an Idempotency-Key. */
export class IdempotencyRepo extends Context.Service<
  IdempotencyRepo,
  {
    /** Returns true for the request that claims the name. The claim holds once the surrounding transaction commits. */
    readonly claim: (claim: IdempotencyClaim) => Effect.Effect<boolean>
    readonly find: (request: NamedRequest) => Effect.Effect<Option.Option<IdempotencyRow>>
    /** Returns true while a request holds the name. */
    readonly isTaken: (request: NamedRequest, at: Date) => Effect.Effect<boolean>
    /** Keeps the answer of the request that holds the name, as JSON. */
    readonly keepResponse: (request: NamedRequest, response: string) => Effect.Effect<void>
    readonly sweep: (expiredBefore: Date) => Effect.Effect<void>
  }
>()("pennypress/platform/idempotency/IdempotencyRepo") {
  static readonly layer = Layer.effect(
    IdempotencyRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const named = ({ idempotencyKey, scope, scopeId }: NamedRequest) =>
        sql`scope = ${scope} and scope_id = ${scopeId} and idempotency_key = ${idempotencyKey}`

      const find = SqlSchema.findOneOption({
        Request: Schema.Any,
        Result: IdempotencyRow,
        execute: (request: NamedRequest) =>
          sql`select fingerprint, resource_id, response::text from idempotency_records where ${named(request)}`
      })

      return IdempotencyRepo.of({
        claim: Effect.fn("IdempotencyRepo.claim")(
          (claim) => Effect.map(claimName(sql, claim), (rows) => rows.length === 1),
          Effect.orDie
        ),
        find: Effect.fn("IdempotencyRepo.find")((request) => Effect.orDie(find(request))),
        isTaken: Effect.fn("IdempotencyRepo.isTaken")(
          (request, at) =>
            Effect.map(
              sql`select from idempotency_records
                where ${named(request)} and (expires_at is null or expires_at > ${at})`,
              (rows) => rows.length === 1
            ),
          Effect.orDie
        ),
        keepResponse: Effect.fn("IdempotencyRepo.keepResponse")(
          (request, response) =>
            sql`update idempotency_records set response = ${response}::jsonb where ${named(request)}`,
          Effect.asVoid,
          Effect.orDie
        ),
        sweep: Effect.fn("IdempotencyRepo.sweep")(
          (expiredBefore) => sql`delete from idempotency_records where expires_at < ${expiredBefore}`,
          Effect.asVoid,
          Effect.orDie
        )
      })
    })
  )
}
