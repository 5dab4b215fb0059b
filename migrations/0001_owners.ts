import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Owners with their Profile, payout address and the counters that lists show. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // The wire form of a moment: UTC with microseconds.
  yield* sql`
    create function wire_time(moment timestamptz) returns text
    language sql immutable strict parallel safe
    return to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
  `

  yield* sql`
    create table owners (
      id uuid primary key,
      kind text not null check (kind in ('wallet', 'email', 'guest')),
      wallet_public_key bytea unique check (octet_length(wallet_public_key) = 32),
      name text not null,
      handle text collate "C" not null,
      bio text,
      location text,
      social_links jsonb not null default '[]',
      pinned_post_id uuid,
      avatar_url text,
      header_image_url text,
      author_kind text not null default 'human' check (author_kind in ('human', 'agent')),
      tip_button_label text not null default 'Tip author',
      tip_amounts numeric[] not null default '{0.25,0.5,1}',
      payout_address text,
      payout_revision integer not null default 0,
      payout_updated_at timestamptz,
      published_post_count integer not null default 0,
      follower_count integer not null default 0,
      following_count integer not null default 0,
      created_at timestamptz not null,
      check (kind <> 'wallet' or wallet_public_key is not null)
    )
  `
  yield* sql`create unique index owners_handle_key on owners (lower(handle))`
})
