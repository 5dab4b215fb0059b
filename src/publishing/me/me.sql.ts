import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AuthorKind } from "../../../schemas/accounts/profile/Profile.ts"
import { EmailAddress } from "../../../schemas/platform/EmailAddress.ts"
import { OwnerId } from "../../../schemas/platform/Ids.ts"
import { NanoAddress, NanoPublicKey } from "../../../schemas/platform/Nano.ts"
import type { OwnerAuthority, PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { isRestricted } from "../../accounts/owners/owners.sql.ts"
import { statements } from "../../platform/sql/statements.ts"
import { DAY_MILLIS, later } from "../../platform/time/now.ts"
import { storedBytesOf } from "../storage/storedBytes.sql.ts"

const owner = {
  id: OwnerId,
  name: Schema.String,
  handle: Schema.String,
  kind: Schema.Literals(["wallet", "email", "guest"]),
  author_kind: AuthorKind,
  created_at: Timestamp,
  wallet_public_key: Schema.NullOr(NanoPublicKey),
  email: Schema.NullOr(EmailAddress),
  payout_address: Schema.NullOr(NanoAddress),
  payout_revision: Schema.Int,
  active_keys: Schema.Int,
  open_uploads: Schema.Int,
  transfers_today: Schema.Int,
  stored_bytes: Schema.Int,
  is_restricted: Schema.Boolean
}

/** An owner and the session that they call with; times are in their wire form. */
const SessionMeRow = Schema.Struct({ ...owner, expires_at: Timestamp })
export type SessionMeRow = typeof SessionMeRow.Type

/** An owner and the Publishing key that calls; times are in their wire form. */
const KeyMeRow = Schema.Struct({
  ...owner,
  label: Schema.NullOr(Schema.String),
  expires_at: Schema.NullOr(Timestamp)
})
export type KeyMeRow = typeof KeyMeRow.Type

/** Statements that read all facts for `/api/v1/me`: one for each kind of credential. */
export const meStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { one } = statements(sql, "me")

  const columns = (at: Date) => sql`
    o.id, o.name, o.handle, o.kind, o.author_kind, wire_time(o.created_at) as created_at,
    encode(o.wallet_public_key, 'hex') as wallet_public_key, o.email, o.payout_address, o.payout_revision,
    (select count(*)::int from api_keys a
     where a.owner_id = o.id and a.revoked_at is null and (a.expires_at is null or a.expires_at > ${at})
    ) as active_keys,
    (select count(*)::int from upload_operations u
     where u.owner_id = o.id and u.unfinished) as open_uploads,
    (select count(*)::int from upload_transfers t
     where t.owner_id = o.id and t.begun_at > ${later(at, -DAY_MILLIS)}) as transfers_today,
    ${storedBytesOf(sql, sql`o.id`)} as stored_bytes, ${sql.literal(isRestricted("o"))} as is_restricted`

  return {
    findBySession: ({ ownerId, sessionId }: OwnerAuthority, at: Date) => one("findBySession", SessionMeRow)`
      select ${columns(at)}, wire_time(s.expires_at) as expires_at
      from owners o join sessions s on s.owner_id = o.id
      where o.id = ${ownerId} and s.id = ${sessionId}`,

    findByKey: ({ apiKeyId, ownerId }: PublisherAuthority, at: Date) => one("findByKey", KeyMeRow)`
      select ${columns(at)}, k.label, wire_time(k.expires_at) as expires_at
      from owners o join api_keys k on k.owner_id = o.id
      where o.id = ${ownerId} and k.id = ${apiKeyId}`
  }
})
