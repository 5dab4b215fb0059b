import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Posts, and the indexes that the lists and the search of published ones read. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // A slug that was made from a title keeps what it was made of, "my-post-3" as
  // ("my-post", 3), so that the next number is the end of an index and not a search.
  //
  // Search reads the public text, and never the paid section.
  // A tsvector holds at most 1 MiB, hence the bound on the text.
  yield* sql`
    create table posts (
      id uuid primary key,
      owner_id uuid not null references owners (id) on delete cascade,
      status text not null default 'draft' check (status in ('draft', 'published')),
      title text not null,
      description text not null,
      free_content_markdown text,
      paid_content_markdown text,
      enable_paywall boolean not null,
      price_raw numeric(39, 0) check (price_raw > 0),
      primary_category_id integer references categories (id),
      secondary_category_id integer references categories (id),
      slug text not null,
      slug_base text,
      slug_number integer,
      canonical_url text,
      language text not null,
      comments_enabled boolean not null,
      og_title text,
      og_description text,
      og_image text,
      first_image text,
      creation_method text,
      creation_details text,
      creation_attested boolean not null,
      comment_count integer not null default 0,
      reaction_count integer not null default 0,
      purchase_count integer not null default 0,
      tip_count integer not null default 0,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      published_at timestamptz,
      search tsvector generated always as (
        setweight(to_tsvector('english', title), 'A') ||
        setweight(to_tsvector('english', description), 'B') ||
        setweight(to_tsvector('english', left(
          case when enable_paywall then coalesce(free_content_markdown, '')
               else coalesce(free_content_markdown, '') || ' ' || coalesce(paid_content_markdown, '') end,
          100000)), 'C')
      ) stored,
      constraint posts_owner_slug unique (owner_id, slug),
      check ((status = 'published') = (published_at is not null)),
      check (not enable_paywall or paid_content_markdown is not null),
      check (enable_paywall or price_raw is null)
    )
  `
  yield* sql`alter table owners add foreign key (pinned_post_id) references posts (id) on delete set null`
  yield* sql`create index owners_pinned_post on owners (pinned_post_id) where pinned_post_id is not null`

  yield* sql`create index posts_owner_slug_number on posts (owner_id, slug_base, slug_number)`
  yield* sql`create index posts_owner_created on posts (owner_id, created_at desc, id desc)`
  yield* sql`create index posts_newest on posts (published_at desc, id desc) where status = 'published'`
  yield* sql`create index posts_owner_newest on posts (owner_id, published_at desc, id desc) where status = 'published'`
  yield* sql`create index posts_most_reacted on posts (reaction_count desc, id desc) where status = 'published'`
  yield* sql`create index posts_most_purchased on posts (purchase_count desc, id desc) where status = 'published'`
  yield* sql`create index posts_primary_category on posts (primary_category_id, published_at desc, id desc) where status = 'published'`
  yield* sql`create index posts_secondary_category on posts (secondary_category_id, published_at desc, id desc) where status = 'published'`
  // Every search reads the list of entries that are not in the index yet, so it is kept short.
  yield* sql`
    create index posts_search on posts using gin (search) with (gin_pending_list_limit = 256)
    where status = 'published'
  `
})
