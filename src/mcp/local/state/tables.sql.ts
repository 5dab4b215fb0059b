/** The version of the tables below. A store with a later one belongs to a newer release. */
export const STATE_VERSION = 1

/**
 * The tables of the local state. Times are milliseconds since 1970, amounts are raw Nano as digits. Only `credentials`
 * and `purchases` hold secrets. Blocks of `wallet_blocks` are for the whole ledger to see.
 */
export const TABLES = `
create table meta (
  name text primary key,
  value text not null
) strict, without rowid;

create table leases (
  name text primary key,
  owner text not null,
  ends_at integer not null
) strict, without rowid;

create table identity (
  one integer primary key check (one = 1),
  owner_id text not null,
  profile_id text not null,
  handle text not null,
  method text not null check (method in ('local-nano', 'external-nano', 'email')),
  wallet_address text,
  selected_at integer not null
) strict;

create table credentials (
  name text primary key,
  value text not null,
  key_id text,
  expires_at integer,
  saved_at integer not null
) strict, without rowid;

create table setup (
  one integer primary key check (one = 1),
  method text not null check (method in ('local-nano', 'external-nano', 'email')),
  intent text check (intent in ('agent', 'human')),
  status text not null check (status in ('pending', 'complete')),
  phase text,
  started_at integer not null,
  completed_at integer
) strict;

create table setup_steps (
  step text primary key,
  data text not null,
  done_at integer
) strict, without rowid;

create table claims (
  challenge_id text primary key,
  account text not null,
  message text not null,
  made_at integer not null
) strict, without rowid;

create table grants (
  id text primary key,
  kind text not null check (kind in ('discussion', 'draft', 'standing', 'spending')),
  origin text not null,
  owner_id text not null,
  profile_id text not null,
  post_id text,
  revision text,
  digest text,
  workflow text,
  max_total_raw text,
  max_each_raw text,
  made_at integer not null,
  expires_at integer not null,
  used_at integer,
  revoked_at integer
) strict, without rowid;
create index grants_by_kind on grants (kind, made_at);

create table intents (
  id text primary key,
  tool text not null,
  owner_id text not null,
  key_id text,
  digest text not null,
  arguments text not null,
  request text,
  idempotency_key text not null,
  phase text not null check (phase in ('authorized', 'possibly-dispatched', 'complete')),
  authorized_at integer not null,
  dispatched_at integer,
  completed_at integer,
  outcome text,
  lease_owner text,
  lease_ends_at integer
) strict, without rowid;
create index intents_by_digest on intents (digest, authorized_at);
create index intents_by_phase on intents (phase, authorized_at);

create table reservations (
  intent_id text primary key,
  grant_id text not null,
  amount_raw text not null,
  state text not null check (state in ('reserved', 'spent', 'released')),
  reserved_at integer not null,
  ended_at integer
) strict, without rowid;
create index reservations_by_grant on reservations (grant_id);

create table purchases (
  intent_id text primary key,
  post_id text not null,
  owner_id text not null,
  amount_raw text not null,
  payment text,
  frontier text,
  status text not null,
  transaction_hash text,
  receipt text,
  made_at integer not null,
  settled_at integer
) strict, without rowid;
create index purchases_by_post on purchases (post_id, made_at);

create table wallet_blocks (
  hash text primary key,
  kind text not null check (kind in ('receive', 'send')),
  previous text not null,
  block text not null,
  amount_raw text not null,
  recipient text,
  status text not null check (status in ('sending', 'confirmed', 'refused')),
  made_at integer not null,
  ended_at integer
) strict, without rowid;

create table files (
  path text primary key,
  kind text not null,
  subject_id text,
  byte_size integer not null,
  sha256 text not null,
  saved_at integer not null
) strict, without rowid;
`
