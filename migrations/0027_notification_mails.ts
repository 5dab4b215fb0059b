import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Mails about notifications that are to be posted, and places in the outbox for mails that may wait. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // One row for each cause and reader. It goes with the commit that puts the mail into the outbox. There are no foreign
  // keys, as for notifications: the mail is made of what is there when it is posted.
  yield* sql`
    create table notification_mails (
      id uuid primary key,
      recipient_id uuid not null,
      type text not null,
      created_at timestamptz not null,
      actor_id uuid,
      post_id uuid,
      comment_id uuid,
      code text,
      due_at timestamptz not null,
      attempts integer not null default 0
    )
  `
  yield* sql`create index notification_mails_due_at on notification_mails (due_at)`

  // Mails that may wait are claimed apart from others, each by an index of its own. The release before claims all by
  // due_at; it sorts the few that are there.
  yield* sql`alter table mails add column is_bulk boolean not null default false`
  yield* sql`create index mails_urgent_due_at on mails (due_at) where not is_bulk`
  yield* sql`create index mails_bulk_due_at on mails (due_at) where is_bulk`
  yield* sql`create index mails_bulk_untried on mails (id) where is_bulk and attempts = 0`
  yield* sql`drop index mails_due_at`
})
