import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Notifications, the work that makes them, and what owners want to hear. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // An owner without a row has the defaults of the columns. The last two are null until their owner chooses. Then rankings show the
  // followers of creators, and no payments; among supporters, a person is not shown, and an agent is.
  yield* sql`
    create table notification_preferences (
      owner_id uuid primary key references owners (id) on delete cascade,
      email_notifications boolean not null default true,
      in_app_notifications boolean not null default true,
      push_notifications boolean not null default false,
      notify_new_purchase boolean not null default true,
      notify_sales text not null default 'daily' check (notify_sales in ('at_once', 'daily', 'never')),
      notify_new_post boolean not null default true,
      notify_new_follow boolean not null default false,
      notify_account_issues boolean not null default true,
      notify_summaries boolean not null default true,
      notify_new_comment boolean not null default true,
      notify_comment_reply boolean not null default true,
      notify_commented_post_activity boolean not null default false,
      notify_new_purchase_inapp boolean not null default true,
      notify_new_post_inapp boolean not null default true,
      notify_new_follow_inapp boolean not null default true,
      notify_account_issues_inapp boolean not null default true,
      notify_summaries_inapp boolean not null default true,
      notify_new_comment_inapp boolean not null default true,
      notify_comment_reply_inapp boolean not null default true,
      notify_commented_post_activity_inapp boolean not null default true,
      show_on_creator_leaderboards boolean,
      show_on_supporter_leaderboard boolean
    )
  `

  yield* sql`
    create table post_mutes (
      owner_id uuid references owners (id) on delete cascade,
      post_id uuid references posts (id) on delete cascade,
      created_at timestamptz not null,
      primary key (owner_id, post_id)
    )
  `
  yield* sql`create index post_mutes_post on post_mutes (post_id)`

  // The id begins with created_at in milliseconds, and the rest is made of the cause and the recipient: the order of
  // ids is that of the feed, and a cause that is reported twice makes one row. There are no foreign keys: a notification
  // tells what happened, even of a Post that was deleted since, and each key would cost every row of a fan-out.
  // is_mailed tells of a sale or tip whether it has a mail of its own. The mail about the day has the others.
  yield* sql`
    create table notifications (
      recipient_id uuid not null,
      id uuid not null,
      type text not null,
      created_at timestamptz not null,
      read_at timestamptz,
      actor_id uuid,
      post_id uuid,
      comment_id uuid,
      purchase_id uuid,
      follower_id uuid,
      data jsonb not null default '{}',
      is_mailed boolean not null default false,
      primary key (recipient_id, id)
    )
  `
  yield* sql`create index notifications_unread on notifications (recipient_id, id) include (type) where read_at is null`
  // The page of new notifications also has those that were read of late.
  yield* sql`create index notifications_read on notifications (recipient_id, read_at) where read_at is not null`
  yield* sql`create index notifications_created_at on notifications (created_at)`
  yield* sql`
    create unique index notifications_unread_activity on notifications (recipient_id, post_id)
    where type = 'commented_post_activity' and read_at is null
  `
  yield* sql`
    create unique index notifications_account_issue on notifications (recipient_id, (data ->> 'cause'))
    where type = 'account_issue'
  `

  // The first twelve digits of an id.
  yield* sql`
    create function notification_moment(at timestamptz) returns text
    language sql immutable strict parallel safe
    return lpad(to_hex(floor(extract(epoch from at at time zone 'UTC') * 1000)::bigint), 12, '0')
  `
  yield* sql`
    create function notification_id(moment text, cause text, recipient uuid) returns uuid
    language sql immutable strict parallel safe
    return (moment || substr(overlay(overlay(md5(cause || recipient::text) placing '7' from 13) placing '8' from 17), 13))::uuid
  `

  // Causes of notifications to many owners. position is the last recipient that heard of it. One fan-out
  // has all waiting news of a discussion. The others name it in merged_into, and are never due themselves.
  yield* sql`
    create table notification_fanouts (
      id uuid primary key,
      type text not null,
      post_id uuid not null,
      comment_id uuid,
      actor_id uuid not null,
      reply_target_author_id uuid,
      created_at timestamptz not null,
      position uuid,
      due_at timestamptz not null,
      attempts integer not null default 0,
      merged_into uuid
    )
  `
  yield* sql`create index notification_fanouts_due_at on notification_fanouts (due_at)`
  yield* sql`
    create index notification_fanouts_merged on notification_fanouts (merged_into) where merged_into is not null
  `
  yield* sql`
    create index notification_fanouts_waiting on notification_fanouts (post_id, id)
    where type = 'commented_post_activity' and attempts = 0 and merged_into is null
  `

  // Mails about notifications that are to be posted: one row for each cause and reader. It goes with the commit that puts
  // the mail into the outbox. There are no foreign keys, as for notifications: the mail is made of what is there when it is
  // posted.
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

  // The days on which something happened to an owner. Each day has its own row, which is taken when nothing more can
  // happen in it. Two writes that meet an owner at the same time may both make a row: neither waits for the other, as with
  // a unique key.
  yield* sql`
    create table notification_summaries (
      id bigint generated always as identity primary key,
      owner_id uuid not null,
      ends_at timestamptz not null,
      due_at timestamptz not null,
      attempts integer not null default 0
    )
  `
  yield* sql`create index notification_summaries_day on notification_summaries (owner_id, ends_at)`
  yield* sql`create index notification_summaries_due_at on notification_summaries (due_at)`

  // The lists of readers that authors brought, with what they said about them. A list is due while readers wait for their mail.
  yield* sql`
    create table subscriber_imports (
      id uuid primary key,
      owner_id uuid not null references owners (id) on delete cascade,
      source text not null,
      statement text not null,
      rows integer not null,
      created_at timestamptz not null,
      due_at timestamptz,
      attempts integer not null default 0,
      decision text check (decision in ('approved', 'refused'))
    )
  `
  yield* sql`create index subscriber_imports_owner on subscriber_imports (owner_id, id)`
  yield* sql`create index subscriber_imports_due_at on subscriber_imports (due_at) where due_at is not null`

  // Readers without an account who get the posts of an author by mail. The address is that of the mail, and the mailbox its
  // identity. A row goes 48 hours after a request that no one confirmed, and 30 days after a subscription that ended.
  // asked_at and ask_id are the time and the name of the last request that a mail confirms. asked_at is null for a reader of
  // an import who waits for that mail. failures counts mails in a row, up to that of the mailing that began at failed_mailing_at.
  yield* sql`
    create table subscribers (
      id uuid primary key,
      author_id uuid not null references owners (id) on delete cascade,
      address text not null,
      mailbox text not null,
      state text not null check (state in ('pending', 'active', 'ended', 'bounced', 'complained')),
      created_at timestamptz not null,
      asked_at timestamptz,
      ask_id uuid not null,
      import_id uuid references subscriber_imports (id),
      confirmed_at timestamptz,
      ended_at timestamptz,
      ended_by text check (ended_by in ('reader', 'author', 'bounce', 'complaint')),
      failures smallint not null default 0,
      failed_mailing_at timestamptz,
      constraint subscribers_mailbox unique (author_id, mailbox),
      constraint subscribers_ended check ((ended_at is null) = (state in ('pending', 'active'))
        and (ended_at is null) = (ended_by is null))
    )
  `
  yield* sql`create index subscribers_active on subscribers (author_id, id) where state = 'active'`
  yield* sql`create index subscribers_of_author on subscribers (author_id, id desc) include (state)`
  // A reader ends all mail, and followers who also subscribe get one mail.
  yield* sql`create index subscribers_by_mailbox on subscribers (mailbox)`
  yield* sql`create index subscribers_unconfirmed on subscribers (asked_at) where state = 'pending'`
  yield* sql`create index subscribers_of_import on subscribers (import_id, id) where import_id is not null`
  yield* sql`create index subscribers_asked on subscribers (author_id, asked_at) where import_id is not null`
  yield* sql`create index subscribers_gone on subscribers (ended_at) where ended_at is not null`

  // Keyed hashes of mailboxes whose subscription ended and was erased, so that no import brings them back.
  yield* sql`
    create table former_subscribers (
      author_id uuid not null references owners (id) on delete cascade,
      mailbox_mac bytea not null,
      primary key (author_id, mailbox_mac)
    )
  `

  // The mail about a post, which readers get once: with its first publication. Subject and texts are made when it is due,
  // and then stay. is_paid and published_at are those of the post at that moment: a post that was published again, or whose text
  // has a price now, does not get this mail. bytes are those of the HTML, and is_cut says that it is not the whole text.
  // position is the last reader whose mail waits in the outbox.
  yield* sql`
    create table mailings (
      id uuid primary key references posts (id) on delete cascade,
      owner_id uuid not null references owners (id) on delete cascade,
      state text not null check (state in ('waiting', 'sending', 'sent', 'cancelled')),
      created_at timestamptz not null,
      due_at timestamptz not null,
      attempts integer not null default 0,
      position uuid,
      subject text,
      html text,
      text text,
      is_paid boolean,
      published_at timestamptz,
      bytes integer,
      is_cut boolean,
      recipients integer not null default 0,
      failed integer not null default 0,
      constraint mailings_frozen check (state <> 'sending' or (subject is not null and html is not null and text is not null
        and is_paid is not null and published_at is not null and bytes is not null and is_cut is not null))
    )
  `
  yield* sql`create index mailings_due_at on mailings (due_at) where state in ('waiting', 'sending')`
  yield* sql`create index mailings_texts on mailings (created_at) where html is not null`
  yield* sql`create index mailings_owner on mailings (owner_id, created_at desc)`

  // A webhook is work: due_at is when something is due for it, infinity for never, and leased_until when its turn ends. A wake
  // moves the one and a turn the other, so neither shortens the other. leased_until is also the end of a rest. secrets are sealed.
  // room is the number of deliveries that may be queued before those that wait are counted, which was last done at counted_at.
  yield* sql`
    create table webhooks (
      id uuid primary key,
      owner_id uuid not null references owners (id) on delete cascade,
      url text not null,
      events text[] not null,
      description text,
      disabled_reason text check (disabled_reason in ('owner', 'gone', 'failing', 'account_restricted')),
      disabled_at timestamptz,
      secrets jsonb not null,
      due_at timestamptz not null default 'infinity',
      leased_until timestamptz not null,
      is_resting boolean not null default false,
      attempts integer not null default 0,
      rests integer not null default 0,
      failures integer not null default 0,
      failing_since timestamptz,
      told_at timestamptz,
      last_success_at timestamptz,
      last_failure jsonb,
      room integer not null default 0,
      counted_at timestamptz,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      constraint webhooks_disabled check ((disabled_reason is null) = (disabled_at is null))
    ) with (fillfactor = 70)
  `
  yield* sql`
    create index webhooks_due on webhooks (greatest(due_at, leased_until)) where disabled_reason is null
  `
  yield* sql`create index webhooks_owner on webhooks (owner_id)`

  // Kept for 30 days, as the events are, which have the bodies; a test has its own. attempts are all requests, and failures those
  // of the schedule. responses are the beginnings of answers by the number of the attempt, and end after a week. No index has the
  // ids of all webhooks: a log would be read by it.
  yield* sql`
    create table webhook_deliveries (
      id uuid not null,
      webhook_id uuid not null references webhooks (id) on delete cascade,
      event_id uuid not null,
      type text not null,
      body text,
      sequence bigint,
      state text not null check (state in ('waiting', 'delivered', 'failed', 'cancelled')),
      trigger text not null check (trigger in ('schedule', 'manual', 'test')),
      due_at timestamptz not null,
      attempts integer not null default 0,
      failures integer not null default 0,
      event_at timestamptz not null,
      created_at timestamptz not null,
      delivered_at timestamptz,
      log jsonb not null default '[]',
      responses jsonb,
      responses_until timestamptz,
      primary key (webhook_id, id),
      constraint webhook_deliveries_event unique (webhook_id, event_id)
    ) with (fillfactor = 80)
  `
  yield* sql`
    create index webhook_deliveries_due on webhook_deliveries (webhook_id, due_at, sequence) where state = 'waiting'
  `
  yield* sql`create index webhook_deliveries_created on webhook_deliveries (created_at)`
  yield* sql`
    create index webhook_deliveries_responses on webhook_deliveries (responses_until) where responses is not null
  `
})
