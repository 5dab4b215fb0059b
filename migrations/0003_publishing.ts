import { Array as Arr, Effect } from "effect"
import { SqlClient } from "effect/sql"

const categories: readonly [string, ...ReadonlyArray<string>] = [
  "Artificial Intelligence",
  "Art & Illustration",
  "Books & Literature",
  "Business",
  "Climate & Environment",
  "Comics",
  "Crypto & Nano",
  "Culture",
  "Design",
  "Economics",
  "Education",
  "Fiction",
  "Film & Television",
  "Finance",
  "Food & Drink",
  "Games",
  "Health",
  "History",
  "Humour",
  "Law",
  "Mathematics",
  "Music",
  "News & Politics",
  "Philosophy",
  "Poetry",
  "Programming",
  "Science",
  "Sport",
  "Technology",
  "Travel"
]

const slugOf = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")

/** Categories, Posts and their counts. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // With ids 1 to 30.
  yield* sql`
    create table categories (
      id integer primary key,
      name text not null unique,
      slug text not null unique
    )
  `
  yield* sql`insert into categories ${sql.insert(
    Arr.map(categories, (name, index) => ({ id: index + 1, name, slug: slugOf(name) }))
  )}`

  // Filters of lists, as words that no text has: a search with filters reads one index. en-GB is en, too.
  yield* sql`
    create function search_facts(language text, categories integer[], paid boolean) returns tsvector
    language sql immutable parallel safe
    return array_to_tsvector(array[case when paid then ':paid' else ':free' end]
      || array(select 'c:' || id from unnest(categories) id where id is not null)
      || array(select 'l:' || left(lower(language), n) from generate_series(1, length(language)) n
        where substr(language, n + 1, 1) in ('-', '')))
  `

  // The SHA-256 of what a buyer gets, over its canonical JSON (RFC 8785: no spaces, members in the order of their names, in
  // UTF-8), with the files in the order of their ids. It is in the terms of a payment, so each Post has it in its row.
  yield* sql`
    create function version_sha256(title text, free text, paid text, files jsonb) returns bytea
    language sql immutable parallel safe
    return sha256(convert_to('{"files":[' || coalesce((
        select string_agg('{"id":' || (f -> 'id')::text || ',"sha256":' || (f -> 'sha256')::text || '}', ','
          order by f ->> 'id' collate "C")
        from jsonb_array_elements(files) f), '')
      || '],"free":' || coalesce(to_json(free)::text, 'null')
      || ',"paid":' || coalesce(to_json(paid)::text, 'null')
      || ',"title":' || to_json(title)::text || '}', 'UTF8'))
  `

  // A slug that was made from a title keeps its parts, "my-post-3" as ("my-post", 3), so that the next number is the end
  // of an index and not a search.
  //
  // json keeps a native document byte for byte, where jsonb would change its order and spaces. It stands next to the
  // Markdown that says the same, or as much of it as Markdown can say. The features that Markdown cannot keep, the
  // unsupported ones, protect the section from being rewritten.
  //
  // paywall_requested is the last word of the author about the paywall. enable_paywall says whether it is effective: a
  // removed image may have emptied the paid section. Text that an author adds later goes behind a paywall again.
  //
  // first_published_at stays when a Post becomes a draft again, as followers hear of the first publication alone. A Post
  // that moderation made a draft keeps the time of its publication in former_published_at for its return.
  //
  // language_chosen says that the author chose the language on the website, where that of a draft else follows its text.
  //
  // dated_at is the date that the Post had elsewhere. It becomes the time of its publication, if it is past.
  //
  // kept_sha256 is the version that buyers read once the account of the author is deleted; it is among the sold ones.
  //
  // version_files are the files that buyers get, as post_attachments has them: a statement that locks the Post reads them in
  // the same row, and so as they are.
  //
  // Search reads the public text of a public Post, and never the paid section. title_words are the words of the title, of a
  // draft too, and the owner as a word that no title has: a search of an author reads one index, and no Post of others.
  //
  // The HTML is made when a Post is published, and when a public one changes. public_html is of the text that everyone may
  // read; whole_html has the paid section, too, and only its readers get it. renderer is the number of the code that made
  // them. A trigger forgets them when the text changes without them.
  yield* sql`
    create table posts (
      id uuid primary key,
      owner_id uuid not null references owners (id) on delete cascade,
      status text not null default 'draft' check (status in ('draft', 'published')),
      title text not null,
      description text not null,
      free_content_markdown text,
      paid_content_markdown text,
      free_content_native json,
      paid_content_native json,
      free_unsupported text[] not null default '{}',
      paid_unsupported text[] not null default '{}',
      renderer integer,
      public_html text,
      public_headings jsonb,
      public_words integer,
      public_images integer,
      whole_html text,
      whole_headings jsonb,
      whole_images integer,
      excerpt text not null default '',
      paywall_requested boolean not null default false,
      enable_paywall boolean not null,
      price_raw numeric(39, 0) check (price_raw > 0),
      primary_category_id integer references categories (id),
      secondary_category_id integer references categories (id),
      slug text not null,
      slug_base text,
      slug_number integer,
      canonical_url text,
      language text not null,
      language_chosen boolean not null default false,
      comments_enabled boolean not null,
      mail_readers boolean not null default true,
      og_title text,
      og_description text,
      og_image text,
      first_image text,
      creation_method text,
      creation_details text,
      creation_attested boolean not null,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      published_at timestamptz,
      dated_at timestamptz,
      first_published_at timestamptz,
      withdrawn_at timestamptz,
      former_published_at timestamptz,
      kept_sha256 bytea check (octet_length(kept_sha256) = 32),
      version_files jsonb not null default '[]',
      version_sha256 bytea not null
        generated always as (version_sha256(title, free_content_markdown, paid_content_markdown, version_files)) stored,
      search tsvector generated always as (case when status = 'published' then
        setweight(to_tsvector('words', search_words(title)), 'A') ||
        setweight(to_tsvector('words', search_words(description)), 'B') ||
        setweight(to_tsvector('words', search_words(
          case when enable_paywall then coalesce(free_content_markdown, '')
               else coalesce(free_content_markdown, '') || ' ' || coalesce(paid_content_markdown, '') end)), 'C') ||
        search_facts(language, array[primary_category_id, secondary_category_id], enable_paywall) end
      ) stored,
      title_words tsvector not null generated always as (
        to_tsvector('words', search_words(title)) || array_to_tsvector(array['o:' || owner_id::text])) stored,
      constraint posts_owner_slug unique (owner_id, slug),
      constraint posts_published check ((status = 'published') = (published_at is not null)),
      constraint posts_withdrawn_draft
        check (status = 'draft' or (withdrawn_at is null and former_published_at is null)),
      constraint posts_price check (enable_paywall or price_raw is null)
    )
  `
  yield* sql`alter table owners add foreign key (pinned_post_id) references posts (id) on delete set null`

  yield* sql`create index posts_owner_slug_number on posts (owner_id, slug_base, slug_number)`
  yield* sql`create index posts_owner_created on posts (owner_id, created_at desc, id desc)`
  yield* sql`create index posts_newest on posts (published_at desc, id desc) where status = 'published'`
  yield* sql`create index posts_owner_newest on posts (owner_id, published_at desc, id desc) where status = 'published'`
  yield* sql`
    create index posts_for_sale on posts (published_at desc, id desc) include (owner_id)
    where status = 'published' and enable_paywall
  `
  yield* sql`create index posts_primary_category on posts (primary_category_id, published_at desc, id desc) where status = 'published'`
  yield* sql`create index posts_secondary_category on posts (secondary_category_id, published_at desc, id desc) where status = 'published'`
  // Sitemaps walk this, and a Post is found to be public without its row.
  yield* sql`create index posts_published on posts (id) include (owner_id) where status = 'published'`
  // The languages in which there are Posts, without their regions.
  yield* sql`create index posts_languages on posts (split_part(lower(language), '-', 1)) where status = 'published'`
  yield* sql`
    create index posts_former on posts (owner_id, id) where former_published_at is not null and withdrawn_at is null
  `
  // Every search reads the list of entries that are not in the index yet, so it is kept short.
  yield* sql`
    create index posts_search on posts using gin (search) with (gin_pending_list_limit = 256)
    where status = 'published'
  `
  yield* sql`create index posts_title_words on posts using gin (title_words) with (gin_pending_list_limit = 256)`
  // The Posts that every reader may see. An account is restricted before a worker withdraws its Posts. Few are restricted, so
  // this looks at a small index instead of the owner of each Post.
  yield* sql`
    create view public_posts as
    select * from posts p where status = 'published' and not exists (
      select from owners o where o.id = p.owner_id and o.restricted_at is not null)
  `

  // The counters of a Post that was public once. In posts, a change would write the whole row and the index of its words.
  yield* sql`
    create table post_counts (
      post_id uuid primary key references posts (id) on delete cascade,
      comments integer not null default 0,
      thumbs_up integer not null default 0,
      heart integer not null default 0,
      fire integer not null default 0,
      clap integer not null default 0,
      reactions integer not null generated always as (thumbs_up + heart + fire + clap) stored,
      purchases integer not null default 0,
      tips integer not null default 0
    ) with (fillfactor = 50)
  `
  yield* sql`create index post_counts_reactions on post_counts (reactions desc, post_id desc)`
  yield* sql`create index post_counts_purchases on post_counts (purchases desc, post_id desc)`

  // The moments at which drafts become public. A row with a failure waits for its author. only_revision is the only revision
  // that may go public.
  yield* sql`
    create table scheduled_publications (
      id uuid primary key references posts (id) on delete cascade,
      owner_id uuid not null,
      api_key_id uuid not null,
      publish_at timestamptz not null,
      only_revision timestamptz,
      failure json,
      created_at timestamptz not null,
      due_at timestamptz not null,
      attempts integer not null default 0
    )
  `
  yield* sql`create index scheduled_publications_due on scheduled_publications (due_at) where failure is null`
  yield* sql`create index scheduled_publications_owner on scheduled_publications (owner_id, publish_at)`
  yield* sql`create index scheduled_publications_key on scheduled_publications (api_key_id)`

  // The public Posts by the kind of their authors, newest first. In posts itself, a new label would rewrite each Post of
  // the account, with the index of its words: 1.4 ms each, where a row here takes 0.03 ms.
  yield* sql`
    create table post_author_kinds (
      post_id uuid primary key references posts (id) on delete cascade,
      owner_id uuid not null,
      author_kind text not null,
      published_at timestamptz not null
    )
  `
  yield* sql`create index post_author_kinds_newest on post_author_kinds (author_kind, published_at desc, post_id desc)`
  yield* sql`create index post_author_kinds_owner on post_author_kinds (owner_id)`

  // The counts of published Posts in parts. A write adds to any part that no other write holds, so that authors do not
  // wait for each other. The sum over all parts counts, and a part may be negative. Room on each page keeps a change on
  // the page of its row.
  yield* sql`
    create table published_post_counts (
      part smallint primary key,
      posts integer not null default 0,
      for_sale integer not null default 0,
      by_category integer[] not null
    ) with (fillfactor = 25)
  `
  yield* sql`
    insert into published_post_counts (part, by_category)
    select part, array_fill(0, array[${categories.length}::integer]) from generate_series(0, 31) part
  `
})
