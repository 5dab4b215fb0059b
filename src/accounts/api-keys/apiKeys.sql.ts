import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { ENDED_KEYS_LISTED_MAX } from "../../../schemas/accounts/api-keys/ApiKey.ts"
import { ApiKeyId, KeyId, type OwnerId } from "../../../schemas/platform/Ids.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { prepared } from "../../platform/sql/prepared.ts"
import { statements } from "../../platform/sql/statements.ts"

/** Metadata of a key; times are in their wire form. */
export const ApiKeyRow = Schema.Struct({
  id: ApiKeyId,
  key_id: KeyId,
  label: Schema.NullOr(Schema.String),
  created_at: Timestamp,
  expires_at: Schema.NullOr(Timestamp),
  revoked_at: Schema.NullOr(Timestamp)
})
export type ApiKeyRow = typeof ApiKeyRow.Type

/** The row that a presented key is checked against. */
export interface ActiveKey {
  readonly id: ApiKeyId
  readonly owner_id: OwnerId
  readonly secret_hash: Uint8Array
  /** True while the owner is restricted. */
  readonly is_restricted: boolean
}

const CountRow = Schema.Struct({ active: Schema.Int })

export interface NewApiKey {
  readonly id: ApiKeyId
  readonly owner_id: OwnerId
  readonly key_id: KeyId
  readonly secret_hash: Uint8Array
  readonly label: string | null
  readonly created_at: Date
  /** A timestamp keeps its microseconds. */
  readonly expires_at: Date | Timestamp | null
}

export class ApiKeysRepo extends Context.Service<
  ApiKeysRepo,
  {
    readonly findActive: (keyId: string, at: Date) => Effect.Effect<Option.Option<ActiveKey>>
    readonly findOwn: (owner: OwnerId, id: string) => Effect.Effect<Option.Option<ApiKeyRow>>
    /** Returns the active keys and the newest 100 others, oldest first. */
    readonly list: (owner: OwnerId, at: Date) => Effect.Effect<ReadonlyArray<ApiKeyRow>>
    readonly insert: (key: NewApiKey) => Effect.Effect<ApiKeyRow>
    /** Revokes a key. Safe to repeat: a revoked key keeps the time of its revocation. */
    readonly revoke: (owner: OwnerId, keyId: string, at: Date) => Effect.Effect<Option.Option<ApiKeyRow>>
    /** Revokes a key that is active; returns none for any other. */
    readonly revokeActive: (
      owner: OwnerId,
      keyId: string,
      at: Date
    ) => Effect.Effect<Option.Option<ApiKeyRow>>
    readonly countActive: (owner: OwnerId, at: Date) => Effect.Effect<number>
  }
>()("pennypress/accounts/api-keys/ApiKeysRepo") {
  static readonly layer = Layer.effect(
    ApiKeysRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { many, maybe, one } = statements(sql, "ApiKeysRepo")

      const columns = sql.literal(
        `id, key_id, label, wire_time(created_at) as created_at, wire_time(expires_at) as expires_at,
         wire_time(revoked_at) as revoked_at`
      )
      const isActive = (at: Date | string) =>
        sql`revoked_at is null and (expires_at is null or expires_at > ${at})`

      const activeKey = prepared<ActiveKey>(sql)(
        ["keyId", "at"],
        ({ at, keyId }) =>
          sql`
            select k.id, k.owner_id, k.secret_hash, o.restricted_at is not null as is_restricted
            from api_keys k join owners o on o.id = k.owner_id
            where k.key_id = ${keyId} and ${isActive(at)}`
      )

      return ApiKeysRepo.of({
        // Runs before every key-authenticated request: one prepared statement, whose rows are not decoded.
        findActive: (keyId, at) =>
          Effect.orDie(Effect.map(activeKey({ keyId, at }), (rows) => Option.fromUndefinedOr(rows[0]))),

        findOwn: (owner, id) => maybe("findOwn", ApiKeyRow)`
          select ${columns} from api_keys where id = ${id} and owner_id = ${owner}`,

        list: (owner, at) => many("list", ApiKeyRow)`
          select ${columns} from api_keys where id in (
            select id from api_keys where owner_id = ${owner} and ${isActive(at)}
            union all
            (select id from api_keys where owner_id = ${owner} and not (${isActive(at)})
             order by created_at desc, id desc limit ${sql.literal(String(ENDED_KEYS_LISTED_MAX))})
          ) order by api_keys.created_at, id`,

        insert: (key) => one("insert", ApiKeyRow)`
          insert into api_keys ${sql.insert({ ...key })} returning ${columns}`,

        revoke: (owner, keyId, at) => maybe("revoke", ApiKeyRow)`
          update api_keys set revoked_at = coalesce(revoked_at, ${at})
          where owner_id = ${owner} and key_id = ${keyId} returning ${columns}`,

        revokeActive: (owner, keyId, at) => maybe("revokeActive", ApiKeyRow)`
          update api_keys set revoked_at = ${at}
          where owner_id = ${owner} and key_id = ${keyId} and ${isActive(at)} returning ${columns}`,

        countActive: (owner, at) =>
          Effect.map(
            one("countActive", CountRow)`
              select count(*)::int as active from api_keys where owner_id = ${owner} and ${isActive(at)}`,
            (row) => row.active
          )
      })
    })
  )
}
