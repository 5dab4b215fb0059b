import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { OwnerId, PostId } from "../../schemas/platform/Ids.ts"
import { soak } from "./soak.ts"

/** Payments of one transaction: few enough that no statement meets its deadline on a slow machine. */
const PART = 10_000

const POST_PREFIX = "00000000-0000-4000-8400-"

export const BUSY_POSTS = 1_000
export const BUSY_SALES = 100_000
/** The days over which the sales are spread. The last one is `BUSY_UNTIL`, without it. */
export const BUSY_DAYS = 365
export const BUSY_UNTIL = "2026-11-01"

export const busyAuthor = OwnerId.make("00000000-0000-4000-8400-ffffffffffff")
export const busyPost = (n: number) => PostId.make(`${POST_PREFIX}${String(n).padStart(12, "0")}`)

const author = `
  insert into owners (id, kind, wallet_public_key, name, handle, payout_address, payout_revision, created_at)
  values ('${busyAuthor}', 'wallet', sha256('busy'), 'Busy', 'busy',
    'nano_3t6k35gi95xu6tergt6p69ck76ogmitsa8mnijtpxm9fkcm736xtoncuohr3', 1, timestamptz 'epoch')`

/** Each tenth Post is a draft. */
const posts = (count: number) => `
  insert into posts (id, owner_id, status, title, description, paid_content_markdown, enable_paywall, price_raw,
    primary_category_id, slug, language, comments_enabled, creation_method, creation_attested, created_at, updated_at,
    published_at)
  select ('${POST_PREFIX}' || lpad(n::text, 12, '0'))::uuid, '${busyAuthor}',
    case when n % 10 = 0 then 'draft' else 'published' end, 'Post ' || n || ' about pennies', 'A description',
    repeat('Some words. ', 200), true, 1e28, 1 + n % 30, 'post-' || n, 'en', true, 'human_written', true, at, at,
    case when n % 10 = 0 then null else at end
  from generate_series(1, ${count}) n, lateral (select timestamptz '2025-01-01Z' + n * interval '1 hour' as at) t`

/** Some Posts sell much more than others. Each twentieth payment is a tip, and each hundredth one to a Comment. */
const payments = (posts: number, sales: number) => `
  with paid as (
    insert into settlements (id, kind, channel, state, post_id, comment_id, recipient_id, block_hash, previous, payer_key,
      pay_to_key, pay_to_role, payout_revision, amount_raw, base_raw, created_at, settled_at)
    select gen_random_uuid(), case when n % 20 = 0 then 'tip' else 'purchase' end, 'claim', 'settled',
      ('${POST_PREFIX}' || lpad(place::text, 12, '0'))::uuid, case when n % 100 = 0 then gen_random_uuid() end,
      '${busyAuthor}', sha256(convert_to('block' || n, 'UTF8')), sha256(convert_to('previous' || n, 'UTF8')),
      sha256(convert_to('payer' || n, 'UTF8')), sha256('payee'), 'author', 1, amount, 1e28, at, at
    from generate_series($1::integer, $2::integer) n,
      lateral (select 1 + floor(${posts} * power((n * 7919 % 10007) / 10007.0, 3))::integer as place,
        1e28 + n * 1e15 as amount,
        timestamptz '${BUSY_UNTIL} 00:00Z' - (${sales} - n) * interval '${BUSY_DAYS} days' / ${sales}
          - interval '1 minute' as at) t
    returning id, amount_raw, settled_at)
  insert into allocations (id, settlement_id, role, owner_id, amount_raw, address, payout_revision, state, created_at)
  select gen_random_uuid(), id, 'author', '${busyAuthor}', amount_raw,
    'nano_3t6k35gi95xu6tergt6p69ck76ogmitsa8mnijtpxm9fkcm736xtoncuohr3', 1, 'settled', settled_at from paid`

const sums = [
  `insert into earnings_daily (owner_id, day, shard, sales, sales_raw, tips, tips_raw)
   select recipient_id, (settled_at at time zone 'UTC')::date, get_byte(uuid_send(id), 15) % 16,
     count(*) filter (where kind = 'purchase'), coalesce(sum(amount_raw) filter (where kind = 'purchase'), 0),
     count(*) filter (where kind = 'tip'), coalesce(sum(amount_raw) filter (where kind = 'tip'), 0)
   from settlements where recipient_id = '${busyAuthor}' group by 1, 2, 3`,
  `insert into post_earnings (owner_id, post_id, shard, sales, earned_raw)
   select recipient_id, post_id, get_byte(uuid_send(id), 15) % 16, count(*) filter (where kind = 'purchase'), sum(amount_raw)
   from settlements where recipient_id = '${busyAuthor}' and comment_id is null group by 1, 2, 3`,
  `insert into post_read_totals (post_id, owner_id, reads, walls)
   select id, owner_id, hashtext(id::text) & 1023, hashtext(id::text) & 255 from posts where owner_id = '${busyAuthor}'`,
  `insert into post_counts (post_id, purchases)
   select p.id, (select count(*) from settlements where post_id = p.id and kind = 'purchase')
   from posts p where owner_id = '${busyAuthor}'`
]

/** Adds an author with this many posts and payments of a year. */
export const seedPostsOfAuthor = Effect.fnUntraced(function* (count: number, sales = BUSY_SALES) {
  const sql = yield* SqlClient.SqlClient
  // Without triggers and foreign keys: the rows are right by construction.
  const quick = (text: string, parameters: ReadonlyArray<number> = []) =>
    sql.withTransaction(
      Effect.andThen(
        sql`set local session_replication_role = replica`.unprepared,
        sql.unsafe(text, parameters)
      )
    )
  yield* quick(author)
  yield* quick(posts(count))
  for (let from = 1; from <= sales; from += PART)
    yield* quick(payments(count, sales), [from, from + PART - 1])
  for (const statement of sums) yield* quick(statement)
  yield* sql`vacuum analyze settlements, allocations, earnings_daily, post_earnings, post_read_totals, owners, posts, post_counts`
    .unprepared
})

/** Adds an author with 1,000 posts and many payments of a year. */
export const seedBusyAuthor = seedPostsOfAuthor(BUSY_POSTS, soak(20_000, BUSY_SALES))
