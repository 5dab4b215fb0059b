import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { PostId, UploadOperationId } from "../../../schemas/platform/Ids.ts"
import { statements } from "../../platform/sql/statements.ts"
import { DAY_MILLIS, later } from "../../platform/time/now.ts"
import { hasFile, saveVersion, versionColumns } from "./soldVersion.sql.ts"

const RetainedRow = Schema.Struct({ has_purchases: Schema.Boolean, has_history: Schema.Boolean })
/** The times of the last reader and of the end of the last one; null without readers, and for readers who stay. */
const FileReadersRow = Schema.Struct({
  last_at: Schema.NullOr(Schema.Date),
  until: Schema.NullOr(Schema.Date)
})

const KeptRow = Schema.Struct({ sha256: Schema.Uint8Array })

/** Statements over the payments, payment sessions and gifts of a Post. */
export const postFinanceStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { maybe, one, run } = statements(sql, "postFinance")

  return {
    retained: (post: PostId) => one("retained", RetainedRow)`
      select
        exists (select from settlements where post_id = ${post} and kind = 'purchase' and state = 'settled') as has_purchases,
        exists (select from settlements where post_id = ${post} and state <> 'refused')
          or exists (select from payment_sessions where post_id = ${post}) as has_history`,

    /** Removes what payments that were refused have left, and the versions that they would have bought. */
    removeRefused: (post: PostId) =>
      Effect.andThen(
        run("removeRefused")`delete from settlements where post_id = ${post} and state = 'refused'`,
        run("removeVersions")`delete from sold_versions where post_id = ${post}`
      ),

    /** Removes the versions of a Post that no one bought, with refused payments for them. */
    removeUnsold: (post: PostId) =>
      Effect.all(
        [
          run("removeRefusedOf")`delete from settlements where post_id = ${post} and state = 'refused'`,
          run("removeUnsold")`
            delete from sold_versions v where post_id = ${post} and not exists (
              select from settlements s where s.post_id = v.post_id and s.version_sha256 = v.sha256)
            and not exists (
              select from payment_sessions n where n.post_id = v.post_id and n.version_sha256 = v.sha256)`
        ],
        { discard: true }
      ),

    /** Saves the present version of a Post that was sold; none for any other Post. */
    keepForBuyers: (post: PostId, at: Date) => maybe("keepForBuyers", KeptRow)`
      with sold as (
        select p.id as post_id, ${sql.literal(versionColumns)} from posts p
        where p.id = ${post} and exists (
          select from settlements where post_id = p.id and kind = 'purchase' and state = 'settled')
      ), saved as (${saveVersion(sql, "sold", at)})
      select version_sha256 as sha256 from sold`,

    /** Returns the readers who may download a file that is off its Post, or is taken off it at this moment. */
    // As the access to a file decides, for every reader at once. A payment counts from its claim on, and a payment session
    // until it no longer accepts a late payment. Gifts may be revoked, and payments that are under way may be refused: they are
    // asked for once a day.
    fileReaders: (file: UploadOperationId, at: Date) => {
      const tomorrow = sql`${later(at, DAY_MILLIS)}::timestamptz`
      return one("fileReaders", FileReadersRow)`
        select max(came_at) as last_at, nullif(max(until), 'infinity') as until
        from post_attachments f, lateral (
          select s.created_at as came_at, case when s.state = 'settled' then 'infinity' else ${tomorrow} end as until
          from settlements s join sold_versions v on v.post_id = s.post_id and v.sha256 = s.version_sha256
          where s.post_id = f.post_id and s.state <> 'refused' and ${hasFile(sql)}
          union all
          select n.created_at, n.late_until
          from payment_sessions n join sold_versions v on v.post_id = n.post_id and v.sha256 = n.version_sha256
          where n.post_id = f.post_id and n.is_live and n.state <> 'paid' and ${hasFile(sql)}
          union all
          select r.created_at, ${tomorrow}
          from gifts g join gift_redemptions r on r.gift_id = g.id
          where g.post_id = f.post_id and g.access_ended_at is null
            and r.created_at >= f.created_at and r.created_at < coalesce(f.removed_at, 'infinity')
        ) readers
        where f.id = ${file}`
    }
  }
})
