import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { CommentId, type OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { hasComments } from "../../../src/engagement/comments/slices.sql.ts"
import { threadStatements } from "../../../src/engagement/comments/threads.sql.ts"
import { relatedStatements } from "../../../src/publishing/discovery/related.sql.ts"
import { htmlStatements } from "../../../src/publishing/posts/texts/texts.sql.ts"
import { feedStatements } from "../../../src/publishing/public-posts/feeds.sql.ts"
import { imageStatements } from "../../../src/publishing/public-posts/images.sql.ts"
import { listStatements } from "../../../src/publishing/public-posts/lists.sql.ts"
import { pageStatements } from "../../../src/publishing/public-posts/pages.sql.ts"
import { insertOwner } from "../../support/actors/storedOwner.ts"
import { database } from "../../support/Database.ts"
import { mostRows, planNodes, type PlanNode, rowsRead, wholeTables } from "../../support/plans.ts"
import { soak } from "../../support/soak.ts"

const POSTS = soak(15_000, 30_000)
const AUTHORS = 200
const READERS = 10_000
const COMMENTS = 6_000
/** The time of the Post after two fifths of them: each minute has one. */
const SINCE = new Date(Date.UTC(2026, 0, 1) + 0.4 * POSTS * 60_000)
/** Small enough that no statement meets its deadline on a slow machine. */
const PART = 5_000

const idOf = (n: number) => `00000000-0000-4000-8100-${String(n).padStart(12, "0")}`
const posts = (...numbers: ReadonlyArray<number>) => numbers.map((n) => PostId.make(idOf(n)))
const commentId = (n: number) => CommentId.make(idOf(900_000 + n))

/** Posts of 200 authors, of whom each seventh is an agent, and a great discussion of the first one. */
const seed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (let n = 1; n <= AUTHORS; n++)
    yield* insertOwner(n, {
      handle: `author_${n}`,
      author_kind: n % 7 === 0 ? "agent" : "human",
      published_post_count: POSTS / AUTHORS
    })
  yield* sql`
    insert into owners (id, kind, name, handle, created_at)
    select md5('reader' || n)::uuid, 'guest', 'Reader ' || n, 'reader_' || n, timestamptz 'epoch'
    from generate_series(1, ${READERS}::integer) n`
  const part = Effect.fnUntraced(function* (from: number) {
    // Without triggers: their tables are filled below.
    yield* sql`set local session_replication_role = replica`
    yield* sql`
      insert into posts (id, owner_id, status, title, description, free_content_markdown, enable_paywall, price_raw,
        primary_category_id, slug, language, comments_enabled, creation_method, creation_attested, created_at, updated_at,
        published_at, first_image)
      select ('00000000-0000-4000-8100-' || lpad(n::text, 12, '0'))::uuid, o.id,
        case when n % 10 = 0 then 'draft' else 'published' end, 'Post ' || n, '', repeat('Some words. ', 80), false, null,
        1 + n % 30, 'post-' || n, 'en', true, 'human_written', true, at, at, case when n % 10 = 0 then null else at end,
        'https://press.test/media/' || n || '.png'
      from generate_series(${from}::integer, ${from + PART - 1}::integer) n
      join (select id, row_number() over (order by id) as place from owners where published_post_count > 0) o on o.place = 1 + n % ${AUTHORS},
        lateral (select timestamptz '2026-01-01Z' + n * interval '1 minute' as at) t`
  })
  for (let from = 1; from <= POSTS; from += PART) yield* sql.withTransaction(part(from))
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`set local session_replication_role = replica`
      yield* sql`
        insert into upload_operations (id, owner_id, target_kind, target_id, target_key, generation, request_key, created_at,
          state, due_at, policy_version, staged_bytes, received_at, sha256, format, width, height, frames, public_url,
          public_size, variants, verdict, decided_at)
        select p.id, p.owner_id, 'inline', p.id, '', 1, p.id::text, p.created_at, 'cleared', p.created_at, '1', 0, p.created_at,
          sha256(''), 'png', 700, 500, 1, p.first_image, 99999, '{"320": 9000}', 'cleared', p.created_at
        from posts p`
      yield* sql`insert into post_counts (post_id, heart) select id, (random() * 20)::integer from posts`
      yield* sql`
        insert into post_author_kinds (post_id, owner_id, author_kind, published_at)
        select p.id, o.id, o.author_kind, p.published_at from posts p join owners o on o.id = p.owner_id
        where p.status = 'published'`
      yield* sql`
        insert into comments (id, post_id, author_id, content, parent_comment_id, reply_target_comment_id, thread_root_id,
          depth, created_at, idempotency_key, intent, by_agent)
        select made.id, ${idOf(1)}::uuid, o.id, 'Some words', parent, parent, coalesce(parent, made.id),
          case when parent is null then 0 else 1 end, timestamptz '2026-02-01Z' + n * interval '1 second', n::text, '', false
        from generate_series(1, ${COMMENTS}::integer) n
        cross join lateral (select ('00000000-0000-4000-8100-' || lpad((900000 + n)::text, 12, '0'))::uuid as id,
            case when n % 60 <> 1
              then ('00000000-0000-4000-8100-' || lpad((900000 + n - (n - 1) % 60)::text, 12, '0'))::uuid end as parent) made
        join (select id, row_number() over (order by id) as place from owners where published_post_count > 0) o on o.place = 1 + n % ${AUTHORS}`
    })
  )
  // Without a visibility map each entry of an index looks at its row.
  yield* sql`vacuum analyze upload_operations, posts, post_counts, post_author_kinds, comments, owners, categories`
    .unprepared
})

/** Tables that stay small, or that nothing is in here. */
const SMALL = new Set(["categories", "pg_namespace", "post_attachments", "published_post_counts", "tips"])

const MODES = ["force_generic_plan", "force_custom_plan"] as const

/** Returns the most rows that a sort took. */
const mostSorted = (nodes: ReadonlyArray<PlanNode>) =>
  Math.max(0, ...nodes.filter((it) => /Sort/.test(it["Node Type"])).map((it) => it["Actual Rows"]))

const seeded = Layer.effectDiscard(seed).pipe(Layer.provideMerge(database("test_reading_plans")))

layer(seeded, { timeout: "2 minutes" })(`${POSTS} Posts`, (it) => {
  it.effect(
    "Pages, lists and feeds read only what they show, by an index",
    () =>
      Effect.gen(function* () {
        const pages = yield* pageStatements(hasComments)
        const images = yield* imageStatements
        const html = yield* htmlStatements
        const threads = yield* threadStatements
        const lists = yield* listStatements
        const feeds = yield* feedStatements
        const related = yield* relatedStatements
        const now = new Date("2026-03-01T00:00:00Z")
        const discussion = { postId: posts(1)[0]!, threads: 20, ofThread: 6 }
        const later = { createdAt: Timestamp.make("2026-02-01T00:50:00.000000Z"), id: commentId(3_000) }

        const sql = yield* SqlClient.SqlClient
        const [author] = yield* sql<{ readonly id: OwnerId }>`select id from owners where handle = 'author_2'`
        const authorId = author!.id

        const reads: ReadonlyArray<
          readonly [name: string, read: Effect.Effect<unknown>, rows: number, posts: number]
        > = [
          ["a Post", pages.post("author_2", "post-1", now), 10, 10],
          ["a Post that is not there", pages.post("author_2", "none", now), 10, 10],
          ["related Posts", related.to(posts(1)[0]!, 4), 300, 200],
          ["related Posts of none", related.to(posts(10)[0]!, 4), 300, 200],
          ["a text", html.publicText(posts(1)[0]!), 1, 1],
          ["the HTML of texts", html.publicHtml(posts(1, 2, 3, 4), 1_000), 4, 4],
          [
            "the HTML of a whole text",
            html.whole.find(posts(1)[0]!, { free_content_markdown: "a", paid_content_markdown: null }),
            1,
            1
          ],
          ["the images of texts", images.of(posts(1, 2, 3, 4)), 4, 4],
          ["cards", pages.cards(posts(1, 2, 3, 4)), 12, 4],
          // Each of the author, after the first and the last one.
          ["the years of an author", pages.years(authorId), POSTS / AUTHORS + 5, POSTS / AUTHORS + 5],
          ["threads", threads.slice({ ...discussion, after: undefined, root: undefined }), 1_260, 22],
          ["later threads", threads.slice({ ...discussion, after: later, root: undefined }), 1_260, 22],
          [
            "a thread",
            threads.slice({
              ...discussion,
              after: undefined,
              root: commentId(61),
              threads: 1,
              ofThread: 501
            }),
            120,
            3
          ],
          // One more than are shown: PostgreSQL 15 numbers rows only when it has seen the next one.
          ["home", lists.home(posts(11, 12, 13, 14)), 60, 33],
          // There is one, and a look for the next.
          ["languages", lists.languages, 3, 3],
          ["most reacted", lists.mostReacted(SINCE), 500, 500],
          ["the feed of the site", feeds.newest(20, now), 500, 500],
          ["a sitemap of Posts", feeds.posts(idOf(10_000), 1_000, now), 1_000, 1_000],
          ["a sitemap of authors", feeds.authors(null, 10, null), 1_500, 1_500]
        ]
        for (const mode of MODES) {
          for (const [name, read, rows, ofPosts] of reads) {
            const nodes = yield* planNodes(mode, read)
            const whole = wholeTables(nodes).filter((table) => !SMALL.has(table ?? ""))
            assert.deepStrictEqual(whole, [], `${name}, ${mode}`)
            assert.isAtMost(rowsRead(nodes, "posts"), ofPosts, `${name}, ${mode}`)
            assert.isAtMost(mostRows(nodes), Math.max(rows, 500), `${name}, ${mode}`)
            assert.isAtMost(mostSorted(nodes), Math.max(ofPosts, 126), `${name}, ${mode}`)
          }
          // The index of a sitemap reads every id, and nothing else.
          const starts = yield* planNodes(mode, feeds.fileStarts("posts", 10_000))
          assert.deepStrictEqual(
            starts.filter((it) => it["Relation Name"] !== undefined).map((it) => it["Node Type"]),
            ["Index Only Scan"],
            mode
          )
          assert.strictEqual(mostSorted(starts), 0, mode)
        }
      }),
    120_000
  )

  it.effect("The page of a Post is planned once for any related Posts", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const pages = yield* pageStatements(hasComments)
      const related = yield* relatedStatements
      const lists = yield* listStatements
      const plans = yield* sql.withTransaction(
        Effect.gen(function* () {
          for (let n = 0; n < 20; n++) {
            const others = posts(101 + n, 202 + n, 303 + n, 404 + n)
            yield* pages.post(`author_${n + 2}`, `post-${n + 1}`, new Date())
            yield* related.to(posts(n + 1)[0]!, 4)
            yield* lists.home(others)
          }
          return yield* sql<{ readonly generic_plans: number; readonly custom_plans: number }>`
            select generic_plans::integer, custom_plans::integer from pg_prepared_statements
            where statement like '%related as (%' or statement like '%as author_is_new%'
              or statement like '%''reacted''%'`.unprepared
        })
      )
      assert.lengthOf(plans, 3)
      // PostgreSQL tries five plans for the values before it keeps one.
      for (const { custom_plans, generic_plans } of plans) {
        assert.isAtMost(custom_plans, 5)
        assert.isAtLeast(generic_plans, 15)
      }
    })
  )
})
