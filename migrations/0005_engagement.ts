import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Comments, reactions, follows, moderation, leaderboards and reads. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // A Comment is only removed with its Post: deletion erases its content, and hiding takes it from readers. Parent, target
  // and root need no foreign keys, which would lock a popular Comment for each reply. Either cause hides a Comment, and
  // each is taken back by itself.
  yield* sql`
    create table comments (
      id uuid primary key,
      post_id uuid not null references posts (id) on delete cascade,
      author_id uuid not null references owners (id),
      content text,
      parent_comment_id uuid,
      reply_target_comment_id uuid,
      thread_root_id uuid not null,
      depth smallint not null check (depth between 0 and 4),
      created_at timestamptz not null,
      deleted_at timestamptz,
      deleted_by_role text check (deleted_by_role in ('author', 'moderator')),
      hidden_by_moderator_at timestamptz,
      hidden_with_author_at timestamptz,
      hidden_at timestamptz generated always as (least(hidden_by_moderator_at, hidden_with_author_at)) stored,
      idempotency_key text not null,
      intent bytea not null,
      by_agent boolean not null,
      reply_count integer not null default 0,
      thumbs_up integer not null default 0,
      heart integer not null default 0,
      fire integer not null default 0,
      clap integer not null default 0,
      tip_amount_raw numeric(39, 0) not null default 0,
      constraint comments_key unique (author_id, idempotency_key),
      constraint comments_content check ((content is null) = (deleted_at is not null)),
      constraint comments_deleted check ((deleted_at is null) = (deleted_by_role is null)),
      constraint comments_parent check ((parent_comment_id is null) = (depth = 0)),
      constraint comments_reply_target check ((parent_comment_id is null) = (reply_target_comment_id is null))
    ) with (fillfactor = 85)
  `
  // The Comments that every reader may see. A deleted one keeps its place in the discussion, without its text.
  yield* sql`
    create view public_comments as
    select * from comments c where hidden_at is null and exists (
      select from public_posts p where p.id = c.post_id and p.comments_enabled)
  `
  yield* sql`create index comments_of_post on comments (post_id, created_at, id)`
  yield* sql`create index comments_of_thread on comments (thread_root_id, created_at, id) where hidden_at is null`
  yield* sql`create index comments_of_author on comments (author_id, created_at desc, id desc)`
  yield* sql`
    create index comments_of_agents on comments (created_at desc, id desc)
    where by_agent and hidden_at is null and deleted_at is null
  `
  // The replies to a Comment, which its counter is compared with.
  yield* sql`
    create index comments_replies on comments (parent_comment_id)
    where parent_comment_id is not null and hidden_at is null and deleted_at is null
  `
  // News of a discussion reaches its authors in the order of their ids.
  yield* sql`
    create index comments_to_tell on comments (post_id, author_id) include (created_at)
    where deleted_at is null and hidden_at is null
  `

  // An owner has a row once an event of theirs got a number, or once they asked for the list. Events are recorded until
  // polled_until, and while the owner has a webhook that was on within 30 days.
  yield* sql`
    create table event_listeners (
      owner_id uuid primary key references owners (id) on delete cascade,
      polled_until timestamptz,
      has_webhooks boolean not null default false,
      last_sequence bigint not null default 0
    ) with (fillfactor = 70)
  `

  // The events of an owner, kept for 30 days after the time in their ids. subject_id is the thing that a snapshot is made of.
  // sequence and body are made after the commit. The same cause is recorded once, and a Post has one update without a number.
  yield* sql`
    create table events (
      id uuid primary key,
      created_at timestamptz not null,
      owner_id uuid not null references owners (id) on delete cascade,
      type text not null,
      subject_id uuid,
      cause text,
      data jsonb not null,
      due_at timestamptz not null,
      sequence bigint,
      body text,
      constraint events_number unique (owner_id, sequence),
      constraint events_body check ((sequence is null) = (body is null))
    )
  `
  yield* sql`create index events_due on events (due_at, id) where sequence is null`
  yield* sql`
    create unique index events_update on events (subject_id) where type = 'post.updated' and sequence is null
  `
  yield* sql`create unique index events_cause on events (owner_id, type, cause) where cause is not null`

  // One of the two ids is the target. A key of each shares a lock on the row that it names, so that reactions to one
  // target never wait for each other.
  yield* sql`
    create table reactions (
      target_id uuid not null generated always as (coalesce(comment_id, post_id)) stored,
      target_kind text not null generated always as (case when comment_id is null then 'post' else 'comment' end) stored,
      owner_id uuid not null references owners (id) on delete cascade,
      post_id uuid references posts (id) on delete cascade,
      comment_id uuid references comments (id) on delete cascade,
      reaction text not null check (reaction in ('thumbs_up', 'heart', 'fire', 'clap')),
      created_at timestamptz not null,
      changed_at timestamptz not null,
      primary key (target_id, owner_id),
      constraint reactions_target check (num_nonnulls(post_id, comment_id) = 1)
    )
  `
  // Each answers a page of owners with one reaction, and finds the rows of a target that is deleted.
  yield* sql`
    create index reactions_of_posts on reactions (post_id, reaction, changed_at desc, owner_id desc)
    where post_id is not null
  `
  yield* sql`
    create index reactions_of_comments on reactions (comment_id, reaction, changed_at desc, owner_id desc)
    where comment_id is not null
  `
  yield* sql`create index reactions_owner on reactions (owner_id, changed_at desc)`

  // One row for each pair of owners, for good: a follow that ended has an end. announced_at is the time at which the creator
  // was notified of this follow; null for a silent one. An e-mail for each Post is more than one click asks for, so it is off.
  yield* sql`
    create table follows (
      id uuid primary key,
      follower_id uuid not null references owners (id) on delete cascade,
      creator_id uuid not null references owners (id) on delete cascade,
      created_at timestamptz not null,
      ended_at timestamptz,
      announced_at timestamptz,
      notify_new_posts boolean not null default true,
      notify_channel_email boolean not null default false,
      notify_channel_inapp boolean not null default true,
      constraint follows_pair unique (follower_id, creator_id),
      constraint follows_two_owners check (follower_id <> creator_id)
    )
  `
  // Lists of followers and of followed creators, newest first, walk these without the table.
  yield* sql`
    create index follows_of_creator on follows (creator_id, created_at desc, id desc) include (follower_id)
    where ended_at is null
  `
  yield* sql`
    create index follows_of_follower on follows (follower_id, created_at desc, id desc) include (creator_id)
    where ended_at is null
  `
  // News of a creator reaches the followers in the order of their ids.
  yield* sql`create index follows_to_tell on follows (creator_id, follower_id) where ended_at is null`
  // Rows lie roughly in the order of their begin: new follows of a month are found without reading all follows.
  yield* sql`create index follows_created_at on follows using brin (created_at)`

  // The address of a private feed with the Posts of followed creators. Its token is not stored. Another address is another feed.
  yield* sql`
    create table following_feeds (
      owner_id uuid primary key references owners (id) on delete cascade,
      id uuid not null,
      token_hash bytea not null unique,
      created_at timestamptz not null
    )
  `

  // A report outlives its target: no key refers to that. An open report is claimed until claimed_until. claimed_by_id and
  // resolved_by_id are the accounts of moderators, null for administrators. decision is what a moderator did to the target.
  // A reader without an account leaves an address to answer to, which no one has verified. A report whose reporter deleted
  // their account has neither.
  yield* sql`
    create table reports (
      id uuid primary key,
      reporter_id uuid references owners (id) on delete cascade,
      reporter_email text,
      target_kind text not null check (target_kind in ('post', 'comment', 'account')),
      target_id uuid not null,
      author_id uuid not null references owners (id) on delete cascade,
      reason text not null,
      idempotency_key text,
      fingerprint bytea not null,
      created_at timestamptz not null,
      claimed_by text,
      claimed_by_id uuid,
      claimed_until timestamptz,
      resolved_at timestamptz,
      resolved_by text,
      resolved_by_id uuid,
      outcome text check (outcome in ('dismissed', 'actioned')),
      decision text check (decision in ('hide', 'withdraw', 'restrict')),
      resolution text,
      constraint reports_key unique (reporter_id, idempotency_key),
      constraint reports_once unique (target_id, target_kind, reporter_id),
      constraint reports_reporter check (
        (reporter_id is null or reporter_email is null) and (reporter_id is null) = (idempotency_key is null)),
      constraint reports_claimed_by check ((claimed_by is null) = (claimed_until is null)),
      constraint reports_outcome check ((resolved_at is null) = (outcome is null))
    )
  `
  yield* sql`create index reports_reporter_created on reports (reporter_id, created_at)`
  yield* sql`
    create unique index reports_of_strangers on reports (target_id, target_kind, fingerprint) where reporter_id is null
  `
  yield* sql`create index reports_unresolved on reports (created_at, id) where resolved_at is null`
  yield* sql`create index reports_of_author on reports (author_id) where resolved_at is null`
  yield* sql`
    create index reports_of_target on reports (target_id, target_kind, created_at, id) where resolved_at is null
  `
  yield* sql`
    create index reports_claimed on reports (created_at, id) where resolved_at is null and claimed_until is not null
  `
  // The address of a reader is removed after a time.
  yield* sql`create index reports_reporter_email on reports (resolved_at) where reporter_email is not null`
  yield* sql`create index reports_resolved on reports (created_at, id) where resolved_at is not null`

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

  // One for each board and period, which are leased work every five minutes.
  yield* sql`
    create table leaderboards (
      id text primary key,
      board text not null,
      period text not null,
      due_at timestamptz not null,
      attempts integer not null default 0
    )
  `
  yield* sql`create index leaderboards_due_at on leaderboards (due_at)`
  yield* sql`
    insert into leaderboards (id, board, period, due_at)
    select board || ':' || period, board, period, timestamptz 'epoch'
    from unnest(array['creator_sales', 'creator_earnings', 'creator_followers', 'supporters']) board,
      unnest(array['all', 'month', 'week']) period
  `

  // Every owner with a score has a row. rank is among all, for the owner alone. public_rank is among the public rows, and
  // position counts them from 1; owners who are not shown have neither. There is not a foreign key: the next refresh takes the row of a removed owner, and readers join the owners.
  yield* sql`
    create table leaderboard_rows (
      leaderboard_id text not null references leaderboards (id),
      owner_id uuid not null,
      rank integer not null,
      value numeric(39, 0) not null,
      public_rank integer,
      position integer,
      primary key (leaderboard_id, owner_id)
    )
  `
  yield* sql`
    create index leaderboard_rows_shown on leaderboard_rows (leaderboard_id, position) where position is not null
  `

  // Adds up hosts with their counts. The 50 with the most stay, and all others are "other".
  yield* sql`
    create function merged_sources(variadic sources jsonb[]) returns jsonb
    language sql immutable parallel safe
    return coalesce((
      select jsonb_object_agg(host, count) from (
        select case when place <= 50 then host else 'other' end as host, sum(count) as count from (
          select host, count, row_number() over (order by host = 'other', count desc, host) as place from (
            select e.key as host, sum(e.value::integer) as count
            from unnest(sources) s, jsonb_each_text(s) e group by e.key) summed) placed
        group by 1) merged), '{}')
  `

  // One row for each Post and day; a year later, for each Post and month, whose day is its first. owner_id is the author, who
  // never changes. sources are hosts with their counts. Room on each page keeps a change on the page of its row.
  yield* sql`
    create table post_reads (
      post_id uuid not null references posts (id) on delete cascade,
      day date not null,
      is_month boolean not null default false,
      owner_id uuid not null,
      people integer not null,
      agents integer not null,
      crawlers integer not null,
      feeds integer not null,
      people_walls integer not null,
      agent_walls integer not null,
      people_checkouts integer not null,
      agent_checkouts integer not null,
      visitors integer not null,
      sources jsonb not null,
      primary key (post_id, day, is_month)
    ) with (fillfactor = 70)
  `
  yield* sql`create index post_reads_owner on post_reads (owner_id, day)`
  yield* sql`create index post_reads_days on post_reads (day) where not is_month`

  // The reads of each Post and the walls that its readers saw, of all days: what the list of an author shows and is ordered by.
  // owner_id is the author, who never changes. Only the numbers change, so a change stays on the page of its row.
  yield* sql`
    create table post_read_totals (
      post_id uuid primary key references posts (id) on delete cascade,
      owner_id uuid not null,
      reads integer not null,
      walls integer not null
    ) with (fillfactor = 50)
  `
  yield* sql`create index post_read_totals_owner on post_read_totals (owner_id)`

  // The key under which the visitors of a day are hashed, and the least hashes of each Post. Both go when the day ends. They
  // are unlogged, so that they stay out of the log, the replicas and the backups.
  yield* sql`create unlogged table visitor_keys (day date primary key, key bytea not null)`
  yield* sql`
    create unlogged table post_visitors (
      day date,
      post_id uuid,
      hashes bigint[] not null,
      primary key (day, post_id)
    )
  `
})
