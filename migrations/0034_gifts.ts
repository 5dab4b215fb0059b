import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Gifts: each lets so many readers read one paid Post without a payment. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // The secret of the token is not stored. Nothing was paid, so a gift goes with its Post. Access that was redeemed goes on
  // after revoked_at, until access_ended_at.
  yield* sql`
    create table gifts (
      id uuid primary key,
      owner_id uuid not null references owners (id),
      post_id uuid not null references posts (id) on delete cascade,
      secret_hash bytea not null check (octet_length(secret_hash) = 32),
      label text,
      max_redemptions integer not null check (max_redemptions between 1 and 10000),
      redemptions integer not null default 0,
      created_at timestamptz not null,
      expires_at timestamptz,
      revoked_at timestamptz,
      access_ended_at timestamptz,
      constraint gifts_redemptions check (redemptions between 0 and max_redemptions),
      check (access_ended_at is null or revoked_at is not null)
    )
  `
  yield* sql`create index gifts_owner on gifts (owner_id, id desc)`
  yield* sql`create index gifts_post on gifts (post_id, id desc)`
  // Those that may be active: their number is limited.
  yield* sql`
    create index gifts_active on gifts (owner_id, expires_at)
    where revoked_at is null and redemptions < max_redemptions
  `

  // A redemption is an account's, or that of the receipt which it answered. key_hash names the one of an Idempotency-Key.
  yield* sql`
    create table gift_redemptions (
      id uuid primary key,
      gift_id uuid not null references gifts (id) on delete cascade,
      post_id uuid not null,
      reader_id uuid references owners (id),
      key_hash bytea check (octet_length(key_hash) = 32),
      created_at timestamptz not null,
      constraint gift_redemptions_reader unique (gift_id, reader_id),
      constraint gift_redemptions_key unique (gift_id, key_hash),
      check (num_nonnulls(reader_id, key_hash) <= 1)
    )
  `
  yield* sql`
    create index gift_redemptions_of_reader on gift_redemptions (post_id, reader_id) where reader_id is not null
  `
  yield* sql`
    alter table access_receipts add constraint access_receipts_redemption_id
    foreign key (redemption_id) references gift_redemptions (id) on delete cascade
  `
})
