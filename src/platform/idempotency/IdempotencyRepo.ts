import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { statements } from "../sql/statements.ts"
import type { IdempotencyClaim, IdempotencyScope } from "./claim.ts"
import { claimName } from "./claim.ts"

export const IdempotencyRow = Schema.Struct({
  fingerprint: Schema.Uint8Array,
  resource_id: Schema.String,
  response: Schema.NullOr(Schema.String)
})
export type IdempotencyRow = typeof IdempotencyRow.Type

const TakenRow = Schema.Struct({ resource_id: Schema.String })

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
      const { maybe, run } = statements(sql, "IdempotencyRepo")

      const named = ({ idempotencyKey, scope, scopeId }: NamedRequest) =>
        sql`scope = ${scope} and scope_id = ${scopeId} and idempotency_key = ${idempotencyKey}`

      return IdempotencyRepo.of({
        claim: Effect.fn("IdempotencyRepo.claim")(
          (claim) => Effect.map(claimName(sql, claim), (rows) => rows.length === 1),
          Effect.orDie
        ),

        find: (request) => maybe("find", IdempotencyRow)`
          select fingerprint, resource_id, response::text from idempotency_records where ${named(request)}`,

        isTaken: (request, at) =>
          Effect.map(
            maybe("isTaken", TakenRow)`
              select resource_id from idempotency_records
              where ${named(request)} and (expires_at is null or expires_at > ${at})`,
            Option.isSome
          ),

        keepResponse: (request, response) => run("keepResponse")`
          update idempotency_records set response = ${response}::jsonb where ${named(request)}`,

        sweep: (expiredBefore) =>
          run("sweep")`delete from idempotency_records where expires_at < ${expiredBefore}`
      })
    })
  )
}
