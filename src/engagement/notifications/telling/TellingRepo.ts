import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { statements } from "../../../platform/sql/statements.ts"
import { idPrefix } from "../ids/idPrefix.ts"
import { mailsDue, wantsMail } from "../mails/mailsDue.sql.ts"
import { type Told, toldRows } from "./told.sql.ts"

const MailedRow = Schema.Struct({ mailed: Schema.Int })

/** Notifications as causes write them. */
export class TellingRepo extends Context.Service<
  TellingRepo,
  {
    /**
     * Writes the notifications of one cause for single owners, within its transaction, and the mails to post about it.
     * An owner who is notified for two reasons gets one mail. A repeated cause notifies no one. Returns the number of
     * mails.
     */
    readonly tell: (at: Date, told: ReadonlyArray<Told>) => Effect.Effect<number>
  }
>()("pennypress/engagement/notifications/telling/TellingRepo") {
  static readonly layer = Layer.effect(
    TellingRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { one } = statements(sql, "TellingRepo")

      return TellingRepo.of({
        tell: (at, told) =>
          Effect.map(
            one("tell", MailedRow)`
          with told as (${toldRows(sql, told)}),
          noted as (
          insert into notifications (recipient_id, id, type, created_at, actor_id, post_id, comment_id, purchase_id, follower_id,
            data)
          select told.recipient_id, notification_id(${idPrefix(at)}, told.type || told.cause, told.recipient_id), told.type,
            ${at}, told.actor_id, told.post_id, told.comment_id, told.purchase_id, told.follower_id, coalesce(told.data, '{}')
          from told join owners o on o.id = told.recipient_id
          where (o.restricted_at is null or told.type = 'account_issue')
            -- A muted discussion tells nothing but of money.
            and (told.type = 'new_purchase' or told.post_id is null or told.comment_id is null or not exists (
            select from post_mutes m where m.owner_id = told.recipient_id and m.post_id = told.post_id))
          on conflict do nothing
          returning recipient_id, id, type, created_at, actor_id, post_id, comment_id, data),
          mailed as (
            insert into ${mailsDue(sql)}
            select distinct on (n.recipient_id) n.id, n.recipient_id, n.type, n.created_at, n.actor_id, n.post_id,
              n.comment_id, n.data ->> 'code', n.created_at
            from noted n join owners o on o.id = n.recipient_id
            left join notification_preferences np on np.owner_id = o.id
            where ${wantsMail(sql, sql`n.type`)}
            -- The author of a Post who is replied to there hears of the reply.
            order by n.recipient_id, n.type = 'comment_reply' desc
            on conflict do nothing
            returning 1)
          select count(*)::int4 as mailed from mailed`,
            ({ mailed }) => mailed
          )
      })
    })
  )
}
