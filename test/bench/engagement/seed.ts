import { createHash } from "node:crypto"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { uuidV7 } from "../seed.ts"

/** Owners who follow the creator, comment and react. */
export const FOLLOWERS = 100_000
/** Comments on one Post, which its page 10,000 needs, and on all others together. */
const COMMENTS_OF_ONE = 510_000
const COMMENTS_OF_OTHERS = 490_000
/** Reactions to other Posts. Each follower reacts to the one Post, too. */
const REACTIONS_OF_OTHERS = 900_000
/** Posts of the creator: the popular one, and those over which writes are spread. */
const POSTS = 33
/** Notifications of each author. */
const NOTIFICATIONS = 200

const CATEGORY = 1
const KEY_ID = "benchcreator0000"
const SECRET = "1".repeat(43)

/** The contents that the load on engagement uses. */
export interface EngagementSeed {
  readonly creator: string
  /** A Publishing key of the creator. */
  readonly key: string
  /** The Post with most Comments and reactions. */
  readonly popular: string
  /** The creator's other Posts. */
  readonly others: ReadonlyArray<string>
  /** Owners that are followed in turn. */
  readonly followed: ReadonlyArray<string>
}

const BEGIN = "timestamptz '2026-06-01Z'"

const idOf = (name: string, n: string) => uuidV7(`${BEGIN} + ${n} * interval '1 second'`, `'${name}' || ${n}`)

const reader = (n: string) => idOf("reader", n)
const CREATOR = idOf("creator", "0")
const post = (n: string) => idOf("creator post", n)

const owners = [
  `insert into owners (id, kind, wallet_public_key, name, handle, payout_address, created_at)
   select ${reader("n")}, 'wallet', sha256(convert_to('reader' || n, 'UTF8')), 'Reader ' || n, 'reader_' || n,
     null, ${BEGIN} from generate_series(1, ${FOLLOWERS}) n`,
  `insert into owners (id, kind, wallet_public_key, name, handle, payout_address, created_at, published_post_count,
     follower_count)
   select ${CREATOR}, 'wallet', sha256('creator'), 'Creator', 'creator',
     (select payout_address from owners where payout_address is not null limit 1), ${BEGIN}, ${POSTS}, ${FOLLOWERS}`,
  `update owners set following_count = 1 where handle like 'reader\\_%'`
]

const follows = `
  insert into follows (id, follower_id, creator_id, created_at)
  select ${idOf("follow", "n")}, ${reader("n")}, ${CREATOR}, ${BEGIN} + n * interval '1 second'
  from generate_series(1, ${FOLLOWERS}) n`

const posts = [
  `insert into posts (id, owner_id, status, title, description, free_content_markdown, enable_paywall,
     primary_category_id, slug, language, comments_enabled, creation_method, creation_attested, created_at, updated_at,
     published_at)
   select ${post("n")}, ${CREATOR}, 'published', 'Post ' || n, 'Of the creator', 'Text ' || n, false, ${CATEGORY},
     'post-' || n, 'en', true, 'human_written', true, ${BEGIN}, ${BEGIN}, ${BEGIN} + n * interval '1 minute'
   from generate_series(0, ${POSTS - 1}) n`,
  `update categories set primary_post_count = primary_post_count + ${POSTS} where id = ${CATEGORY}`,
  // Otherwise the load on new Comments would measure the worker that tells each commenter of them.
  `insert into post_mutes (owner_id, post_id, created_at)
   select o.id, p.id, ${BEGIN} from owners o, posts p where p.owner_id = ${CREATOR} and o.handle like 'author\\_%'`
]

const numbered = `
  create temporary table numbered as
  select id, row_number() over (order by id) - 1 as n from posts
  where status = 'published' and owner_id <> ${CREATOR}`

/** Adds Comments, with the columns post_id and n from `source`. */
const comments = (source: string) => `
  insert into comments (id, post_id, author_id, content, thread_root_id, depth, created_at, idempotency_key, intent,
    by_agent)
  select made.id, post_id, ${reader(`(1 + (n * 7919) % ${FOLLOWERS})`)},
    'Comment number ' || n || ' says something about pennies', made.id, 0, made.at, 'comment' || n, '', false
  from (${source}) source, lateral (select ${BEGIN} + n * interval '3 seconds' as at) moment,
    lateral (select moment.at, ${uuidV7("moment.at", "'comment' || n")} as id) made`

const discussions = [
  comments(`select ${post("0")} as post_id, n::bigint as n from generate_series(1, ${COMMENTS_OF_ONE}) n`),
  comments(`
    select id as post_id, ${COMMENTS_OF_ONE} + turn * (select count(*) from numbered) + n + 1 as n
    from numbered, generate_series(0, ${COMMENTS_OF_OTHERS} / (select count(*) from numbered) - 1) turn`)
]

const reactions = [
  `insert into reactions (owner_id, post_id, reaction, created_at, changed_at)
   select ${reader("n")}, ${post("0")}, (array['thumbs_up', 'heart', 'fire', 'clap'])[1 + n % 4], ${BEGIN}, ${BEGIN} + n * interval '1 second'
   from generate_series(1, ${FOLLOWERS}) n`,
  `insert into reactions (owner_id, post_id, reaction, created_at, changed_at)
   select ${reader(`(1 + (each.n + turn.n * 31) % ${FOLLOWERS})`)}, each.id,
     (array['thumbs_up', 'heart', 'fire', 'clap'])[1 + turn.n % 4], ${BEGIN}, ${BEGIN} + turn.n * interval '1 second'
   from numbered each, generate_series(1, ${REACTIONS_OF_OTHERS} / (select count(*) from numbered)) turn (n)`
]

const notifications = `
  insert into notifications (recipient_id, id, type, created_at, actor_id, post_id, data)
  select o.id, ${uuidV7("moment.at", "'notification' || n || o.id")},
    (array['new_comment', 'comment_reply', 'new_follow'])[1 + n % 3], moment.at, ${reader("n")}, ${post("0")}, '{}'
  from owners o, generate_series(1, ${NOTIFICATIONS}) n,
    lateral (select ${BEGIN} + n * interval '1 hour' as at) moment
  where o.handle like 'author\\_%'`

const counts = `
  update post_counts set comments = made.comments, thumbs_up = made.thumbs_up, heart = made.heart, fire = made.fire,
    clap = made.clap
  from (select p.id, (select count(*) from comments where post_id = p.id) as comments,
      count(*) filter (where reaction = 'thumbs_up') as thumbs_up, count(*) filter (where reaction = 'heart') as heart,
      count(*) filter (where reaction = 'fire') as fire, count(*) filter (where reaction = 'clap') as clap
    from posts p left join reactions r on r.post_id = p.id group by p.id) made
  where made.id = post_counts.post_id`

const key = `
  insert into api_keys (id, owner_id, key_id, secret_hash, created_at)
  select ${idOf("creator key", "0")}, ${CREATOR}, $1, $2, ${BEGIN}`

/** Runs inserts without the table's secondary indexes, and builds them at once: that takes half the time. */
const indexedAfter = Effect.fnUntraced(function* <E, R>(table: string, inserts: Effect.Effect<void, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const indexes = yield* sql<{ readonly indexname: string; readonly indexdef: string }>`
    select indexname, indexdef from pg_indexes
    where schemaname = current_schema() and tablename = ${table}
      and indexname not in (select conname from pg_constraint)`
  for (const { indexname } of indexes) yield* sql`drop index ${sql(indexname)}`
  yield* inserts
  for (const { indexdef } of indexes) yield* sql.unsafe(indexdef)
})

/** Adds a million Comments and reactions, and a creator with 100,000 followers, to the seeded database. */
export const seedEngagement = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const run = (statements: ReadonlyArray<string>) =>
    Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* run([...owners, ...posts])
      // Without triggers and foreign keys: the rows are right by construction, and the counters are set at the end.
      yield* sql`set local session_replication_role = replica`.unprepared
      yield* run([follows, numbered])
      yield* indexedAfter("comments", run(discussions))
      yield* indexedAfter("reactions", run(reactions))
      yield* run([notifications, counts])
      yield* sql.unsafe(key, [KEY_ID, createHash("sha256").update(SECRET).digest()])
      yield* sql`drop table numbered`
    })
  )
  yield* sql`vacuum analyze`.unprepared
  yield* sql`checkpoint`.unprepared

  const made = yield* sql<{ readonly id: string; readonly owner_id: string }>`
    select p.id, p.owner_id from posts p join owners o on o.id = p.owner_id where o.handle = 'creator' order by p.published_at`
  const followed = yield* sql<{ readonly id: string }>`
    select id from owners where handle like 'reader\\_%' order by id limit 32`
  const [popular, ...others] = made
  if (popular === undefined) return yield* Effect.die(new Error("The creator has no Posts"))
  return {
    creator: popular.owner_id,
    key: `ppk_${KEY_ID}_${SECRET}`,
    popular: popular.id,
    others: others.map(({ id }) => id),
    followed: followed.map(({ id }) => id)
  } satisfies EngagementSeed
})
