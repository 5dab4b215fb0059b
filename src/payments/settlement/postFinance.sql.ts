import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { PostId, UploadOperationId } from "../../../schemas/platform/Ids.ts"
import { statements } from "../../platform/sql/statements.ts"
import { DAY_MILLIS, later } from "../../platform/time/now.ts"
import { soldAt } from "./soldAt.sql.ts"

const RetainedRow = Schema.Struct({ has_purchases: Schema.Boolean, has_history: Schema.Boolean })
/** The times of the last reader and of the end of the last one; null without readers, and for readers who stay. */
const FileReadersRow = Schema.Struct({
  last_at: Schema.NullOr(Schema.Date),
  until: Schema.NullOr(Schema.Date)
})

/** Statements over the payments, payment sessions and gifts of a Post. */
export const postFinanceStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { one, run } = statements(sql, "postFinance")

  return {
    retained: (post: PostId) => one("retained", RetainedRow)`
      select
        exists (select from settlements where post_id = ${post} and kind = 'purchase' and state = 'settled') as has_purchases,
        exists (select from settlements where post_id = ${post} and state <> 'refused')
          or exists (select from payment_sessions where post_id = ${post}) as has_history`,

    removeRefused: (post: PostId) => run("removeRefused")`
      delete from settlements where post_id = ${post} and state = 'refused'`,

    /** Returns the readers who may download a file that is off its Post, or is taken off it at this moment. */
    // As the access to a file decides, for every reader at once. What began before the file was there counts if it sold
    // it. Gifts may be revoked, and payments that are under way may be refused: they are asked for once a day.
    fileReaders: (file: UploadOperationId, at: Date) => {
      const removedAt = sql`coalesce(f.removed_at, ${at}::timestamptz)`
      const wasThere = sql`came_at >= f.created_at and came_at < coalesce(f.removed_at, 'infinity')`
      const tomorrow = sql`${later(at, DAY_MILLIS)}::timestamptz`
      return one("fileReaders", FileReadersRow)`
        select max(came_at) as last_at, nullif(max(until), 'infinity') as until
        from post_attachments f, lateral (
          select came_at, case when s.state = 'settled' then 'infinity' else ${tomorrow} end as until
          from settlements s left join sold_versions v on v.id = s.sold_version_id,
            lateral (select ${soldAt(sql, removedAt)} as came_at) sold
          where s.post_id = f.post_id and s.kind = 'purchase' and s.state <> 'refused'
            and ((${wasThere}) or v.attachments @> jsonb_build_array(jsonb_build_object('id', f.id)))
          union all
          select n.created_at, n.late_until
          from payment_sessions n, lateral (select n.created_at as came_at) opened
          where n.post_id = f.post_id and n.kind = 'purchase' and n.is_live and ${wasThere}
            and (n.state = 'seen' or n.state <> 'paid' and coalesce(n.cancelled_at, n.expires_at) > ${removedAt})
          union all
          select r.created_at, ${tomorrow}
          from gifts g join gift_redemptions r on r.gift_id = g.id,
            lateral (select r.created_at as came_at) given
          where g.post_id = f.post_id and g.access_ended_at is null and ${wasThere}
        ) readers
        where f.id = ${file}`
    }
  }
})
