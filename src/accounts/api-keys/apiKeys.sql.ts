import { Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { ENDED_KEYS_LISTED_MAX, WEBSITE_KEY_LABEL } from "../../../schemas/accounts/api-keys/ApiKey.ts"
import { ApiKeyId, KeyId, type OwnerId, type SessionId } from "../../../schemas/platform/Ids.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { prepared } from "../../platform/sql/prepared.ts"
import { statements } from "../../platform/sql/statements.ts"
import { isRestricted } from "../owners/owners.sql.ts"

/** Metadata of a key; times are in their wire form. */
const ApiKeyRow = Schema.Struct({
  id: ApiKeyId,
  key_id: KeyId,
  label: Schema.NullOr(Schema.String),
  created_at: Timestamp,
  expires_at: Schema.NullOr(Timestamp),
  revoked_at: Schema.NullOr(Timestamp)
})
export type ApiKeyRow = typeof ApiKeyRow.Type

/** The row that a presented key is checked against. */
interface ActiveKey {
  readonly id: ApiKeyId
  readonly owner_id: OwnerId
  readonly secret_hash: Uint8Array
  /** True while the owner is restricted. */
  readonly is_restricted: boolean
}

/** The key that the website holds for an owner. */
const WebsiteKeyRow = Schema.Struct({
  id: ApiKeyId,
  key_id: KeyId,
  is_active: Schema.Boolean,
  is_revoked: Schema.Boolean
})
export type WebsiteKeyRow = typeof WebsiteKeyRow.Type

const ResumedRow = Schema.Struct({ key_id: KeyId, is_restricted: Schema.Boolean })
const IdRow = Schema.Struct({ id: ApiKeyId })

const CountRow = Schema.Struct({ active: Schema.Int })

interface NewApiKey {
  readonly id: ApiKeyId
  readonly owner_id: OwnerId
  readonly key_id: KeyId
  readonly secret_hash: Uint8Array
  readonly label: string | null
  readonly created_at: Date
  /** A timestamp keeps its microseconds. */
  readonly expires_at: Date | Timestamp | null
}

/** Statements over `api_keys`. */
export const apiKeyStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { changed, many, maybe, one, run } = statements(sql, "apiKeys")

  const columns = sql.literal(
    `id, key_id, label, wire_time(created_at) as created_at, wire_time(expires_at) as expires_at,
     wire_time(revoked_at) as revoked_at`
  )
  const isActive = (at: Date | string) =>
    sql`revoked_at is null and (expires_at is null or expires_at > ${at})`

  const ofWebsite = (at: Date) =>
    sql`id, key_id, ${isActive(at)} as is_active, revoked_at is not null as is_revoked`
  const endOf = (session: SessionId) => sql`(select s.expires_at from sessions s where s.id = ${session})`

  const activeKey = prepared<ActiveKey>(sql)(
    ["keyId", "at"],
    ({ at, keyId }) =>
      sql`
        select k.id, k.owner_id, k.secret_hash, ${sql.literal(isRestricted("o"))} as is_restricted
        from api_keys k join owners o on o.id = k.owner_id
        where k.key_id = ${keyId} and ${isActive(at)}`
  )

  return {
    /** Runs before every key-authenticated request: one prepared statement, whose rows are not decoded. */
    findActive: (keyId: string, at: Date) =>
      Effect.orDie(Effect.map(activeKey({ keyId, at }), (rows) => Option.fromUndefinedOr(rows[0]))),

    /** Returns an active key of an account by the id of its record. */
    findActiveById: (owner: OwnerId, id: ApiKeyId, at: Date) => maybe("findActiveById", ResumedRow)`
      select k.key_id, ${sql.literal(isRestricted("o"))} as is_restricted
      from api_keys k join owners o on o.id = k.owner_id
      where k.id = ${id} and k.owner_id = ${owner} and ${isActive(at)}`,

    findOwn: (owner: OwnerId, id: string) => maybe("findOwn", ApiKeyRow)`
      select ${columns} from api_keys where id = ${id} and owner_id = ${owner}`,

    /** Returns the active keys and the newest 100 others, oldest first. */
    list: (owner: OwnerId, at: Date) => many("list", ApiKeyRow)`
      select ${columns} from api_keys where id in (
        select id from api_keys where owner_id = ${owner} and ${isActive(at)}
        union all
        (select id from api_keys where owner_id = ${owner} and not (${isActive(at)})
         order by created_at desc, id desc limit ${sql.literal(String(ENDED_KEYS_LISTED_MAX))})
      ) order by api_keys.created_at, id`,

    insert: (key: NewApiKey) => one("insert", ApiKeyRow)`
      insert into api_keys ${sql.insert({ ...key })} returning ${columns}`,

    /** Revokes all keys of an owner. */
    revokeAll: (owner: OwnerId, at: Date) => run("revokeAll")`
      update api_keys set revoked_at = ${at} where owner_id = ${owner} and revoked_at is null`,

    /** Returns the ids of all keys of an owner. */
    idsOf: (owner: OwnerId) =>
      Effect.map(many("idsOf", IdRow)`select id from api_keys where owner_id = ${owner}`, (rows) =>
        rows.map(({ id }) => id)
      ),

    /** Erases keys of an owner. */
    eraseSome: (owner: OwnerId, limit: number) => changed("eraseSome")`
      delete from api_keys where ctid = any(array(
        select ctid from api_keys where owner_id = ${owner} limit ${limit}))`,

    /** Revokes a key. Safe to repeat: a revoked key keeps the time of its revocation. */
    revoke: (owner: OwnerId, keyId: string, at: Date) => maybe("revoke", ApiKeyRow)`
      update api_keys set revoked_at = coalesce(revoked_at, ${at})
      where owner_id = ${owner} and key_id = ${keyId} returning ${columns}`,

    /** Revokes a key that is active; returns none for any other. */
    revokeActive: (owner: OwnerId, keyId: string, at: Date) => maybe("revokeActive", ApiKeyRow)`
      update api_keys set revoked_at = ${at}
      where owner_id = ${owner} and key_id = ${keyId} and not is_website and ${isActive(at)} returning ${columns}`,

    /** Returns the newest key that the website holds for an owner. */
    findWebsite: (owner: OwnerId, at: Date) => maybe("findWebsite", WebsiteKeyRow)`
      select ${ofWebsite(at)} from api_keys where owner_id = ${owner} and is_website
      order by created_at desc, id desc limit 1`,

    /** Saves a key of the website, which ends with a session. */
    insertWebsite: (
      { created_at, id, key_id, owner_id, secret_hash }: Omit<NewApiKey, "label" | "expires_at">,
      session: SessionId
    ) => one("insertWebsite", WebsiteKeyRow)`
      insert into api_keys (id, owner_id, key_id, secret_hash, label, is_website, created_at, expires_at)
      values (${id}, ${owner_id}, ${key_id}, ${secret_hash}, ${WEBSITE_KEY_LABEL}, true, ${created_at}, ${endOf(session)})
      returning ${ofWebsite(created_at)}`,

    /** Lets a key of the website end with another session. */
    renewWebsite: (id: ApiKeyId, session: SessionId, at: Date) => one("renewWebsite", WebsiteKeyRow)`
      update api_keys set expires_at = ${endOf(session)} where id = ${id} returning ${ofWebsite(at)}`,

    /** Ends the website's key of an owner who is signed in in no browser. */
    expireWebsite: (owner: OwnerId, at: Date) => run("expireWebsite")`
      update api_keys set expires_at = ${at}
      where owner_id = ${owner} and is_website and ${isActive(at)} and not exists (
        select from sessions s join browser_sessions b on b.session_id = s.id
        where s.owner_id = ${owner} and s.revoked_at is null and s.expires_at > ${at})`,

    countActive: (owner: OwnerId, at: Date) =>
      Effect.map(
        one("countActive", CountRow)`
          select count(*)::int as active from api_keys where owner_id = ${owner} and ${isActive(at)}`,
        (row) => row.active
      )
  }
})

/** Ends the keys of accounts that close, and erases those of accounts that are deleted. */
export const apiKeyErasure = Effect.map(apiKeyStatements, ({ eraseSome, idsOf, revokeAll }) => ({
  eraseSome,
  idsOf,
  revokeAll
}))
