import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Work of moderators: restricted accounts, Posts that are withdrawn from the public, and reports of readers. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`alter table owners add column restricted_at timestamptz`

  // A Post that moderation made a draft keeps the time of its publication for its return.
  yield* sql`
    alter table posts
      add column withdrawn_at timestamptz,
      add column former_published_at timestamptz
  `
  // Not checked for the Posts that are there, which have no time at all. It keeps the release before from publishing a
  // withdrawn Post.
  yield* sql`
    alter table posts add constraint posts_withdrawn_draft
    check (status = 'draft' or (withdrawn_at is null and former_published_at is null)) not valid
  `
  yield* sql`
    create index posts_former on posts (owner_id, id) where former_published_at is not null and withdrawn_at is null
  `

  // The work after a restriction or its end. The row stays, as its attempts tell earlier work from later.
  yield* sql`
    create table account_restrictions (
      id uuid primary key references owners (id) on delete cascade,
      is_restricted boolean not null,
      due_at timestamptz,
      attempts integer not null default 0
    )
  `
  yield* sql`create index account_restrictions_due on account_restrictions (due_at) where due_at is not null`

  yield* sql`alter table administrator_actions add column actor text not null default 'administrator'`
  yield* sql`create index administrator_actions_newest on administrator_actions (created_at desc, id desc)`

  // A report outlives its target: no key refers to that. An open report is claimed until claimed_until.
  yield* sql`
    create table reports (
      id uuid primary key,
      reporter_id uuid not null references owners (id) on delete cascade,
      target_kind text not null check (target_kind in ('post', 'comment')),
      target_id uuid not null,
      reason text not null,
      idempotency_key text not null,
      fingerprint bytea not null,
      created_at timestamptz not null,
      claimed_by text,
      claimed_until timestamptz,
      resolved_at timestamptz,
      resolved_by text,
      outcome text check (outcome in ('dismissed', 'actioned')),
      resolution text,
      constraint reports_key unique (reporter_id, idempotency_key),
      constraint reports_once unique (target_id, target_kind, reporter_id),
      check ((claimed_by is null) = (claimed_until is null)),
      check ((resolved_at is null) = (outcome is null))
    )
  `
  yield* sql`create index reports_reporter_created on reports (reporter_id, created_at)`
  yield* sql`create index reports_unresolved on reports (created_at, id) where resolved_at is null`
  yield* sql`
    create index reports_claimed on reports (created_at, id) where resolved_at is null and claimed_until is not null
  `
  yield* sql`create index reports_resolved on reports (created_at, id) where resolved_at is not null`
})
