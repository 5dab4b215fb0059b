import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CategoryId, OwnerId, PostId } from "../../../../schemas/platform/Ids.ts"
import { CreationMethod } from "../../../../schemas/publishing/posts/creation.ts"
import { PostStatus } from "../../../../schemas/publishing/posts/Post.ts"
import { statements } from "../../../platform/sql/statements.ts"
import { nextRevision } from "../nextRevision.sql.ts"
import { AttachmentRow, attachmentsColumn } from "../postRow.ts"
import { movePublishedCounts } from "../publishedCounts.sql.ts"

/**
 * A locked Post with the facts that decide whether it may be public. It has only the first character of each section.
 */
const ModeratedRow = Schema.Struct({
  id: PostId,
  owner_id: OwnerId,
  status: PostStatus,
  is_withdrawn: Schema.Boolean,
  /** True for a draft that was public until moderation withdrew the Post or restricted its author. */
  was_public: Schema.Boolean,
  slug: Schema.String,
  title: Schema.String,
  description: Schema.String,
  free_content_markdown: Schema.NullOr(Schema.String),
  paid_content_markdown: Schema.NullOr(Schema.String),
  enable_paywall: Schema.Boolean,
  price_raw: Schema.NullOr(Schema.String),
  primary_category_id: Schema.NullOr(CategoryId),
  secondary_category_id: Schema.NullOr(CategoryId),
  creation_method: Schema.NullOr(CreationMethod),
  creation_attested: Schema.Boolean,
  attachments: Schema.Array(AttachmentRow),
  name: Schema.String,
  handle: Schema.String,
  payout_address: Schema.NullOr(Schema.String)
})
export type ModeratedRow = typeof ModeratedRow.Type

const columns = `
  p.id, p.owner_id, p.status, p.withdrawn_at is not null as is_withdrawn,
  p.former_published_at is not null as was_public, p.slug, p.title, p.description,
  left(p.free_content_markdown, 1) as free_content_markdown, left(p.paid_content_markdown, 1) as paid_content_markdown,
  p.enable_paywall, p.price_raw::text as price_raw, p.primary_category_id, p.secondary_category_id,
  p.creation_method, p.creation_attested, ${attachmentsColumn}, o.name, o.handle, o.payout_address`

const IdRow = Schema.Struct({ id: PostId })

type Posts = ReadonlyArray<ModeratedRow>

const MoreRow = Schema.Struct({ has_more: Schema.Boolean })

/** Statements that withdraw and restore Posts, for moderation. Only locked Posts are changed. */
export const withdrawalStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { many, maybe, one, run } = statements(sql, "withdrawals")
  const post = sql`select ${sql.literal(columns)} from posts p join owners o on o.id = p.owner_id`
  const isFormer = sql`p.former_published_at is not null and p.withdrawn_at is null`
  const idsOf = (posts: ReadonlyArray<typeof IdRow.Type>) => posts.map(({ id }) => id)
  const hasMore = (row: Effect.Effect<typeof MoreRow.Type>) => Effect.map(row, ({ has_more }) => has_more)

  return {
    /**
     * Finds the Post of any owner and locks it until the surrounding transaction ends. Reads it by a statement of its own,
     * because a statement that waits for a row reads its files as they were before.
     */
    lock: (id: PostId) =>
      Effect.andThen(
        run("lock")`select from posts where id = ${id} for no key update`,
        maybe("locked", ModeratedRow)`${post} where p.id = ${id}`
      ),

    /** Locks the newest public Posts of an owner. */
    lockPublic: (owner: OwnerId, limit: number) => many("lockPublic", ModeratedRow)`
      ${post} where p.owner_id = ${owner} and p.status = 'published'
      order by p.published_at desc, p.id desc limit ${limit} for no key update of p`,

    /** Locks Posts of an owner that were public, except those that are withdrawn themselves. Reads them as `lock` does. */
    lockFormer: Effect.fnUntraced(function* (owner: OwnerId, limit: number) {
      const locked = yield* many("lockFormer", IdRow)`
        select p.id from posts p where p.owner_id = ${owner} and ${isFormer}
        order by p.id limit ${limit} for no key update`
      if (locked.length === 0) return []
      return yield* many("formerLocked", ModeratedRow)`
        ${post} where p.id = any(${idsOf(locked)}::uuid[]) order by p.id`
    }),

    hasPublic: (owner: OwnerId) =>
      hasMore(one("hasPublic", MoreRow)`
        select exists (select from posts p where p.owner_id = ${owner} and p.status = 'published') as has_more`),

    hasFormer: (owner: OwnerId) =>
      hasMore(one("hasFormer", MoreRow)`
        select exists (select from posts p where p.owner_id = ${owner} and ${isFormer}) as has_more`),

    /** Marks a Post as withdrawn; null ends that. */
    setWithdrawn: (id: PostId, at: Date | null) => run("setWithdrawn")`
      update posts set withdrawn_at = ${at}::timestamptz where id = ${id}`,

    /**
     * Makes public Posts drafts that keep their time of publication, and no longer counts them. The counts change before
     * the Posts do, in one statement: the condition makes the change run. Lock the owner before.
     */
    takeDown: (posts: Posts, at: Date) => run("takeDown")`
      with counted as (${movePublishedCounts(sql, posts, [])}),
        kinds as (delete from post_author_kinds where post_id = any(${idsOf(posts)}::uuid[]))
      update posts p set status = 'draft', former_published_at = p.published_at, published_at = null,
        updated_at = ${nextRevision(sql, at)}
      from counted where p.id = any(${idsOf(posts)}::uuid[])`,

    /** Makes such drafts public as before, and counts them. Lock the owner before. */
    putBack: (posts: Posts, at: Date) => run("putBack")`
      with counted as (${movePublishedCounts(sql, [], posts)}),
        shown as (
          update posts p set status = 'published', published_at = p.former_published_at, former_published_at = null,
            updated_at = ${nextRevision(sql, at)}
          from counted where p.id = any(${idsOf(posts)}::uuid[])
          returning p.id, p.owner_id, p.published_at)
      insert into post_author_kinds (post_id, owner_id, author_kind, published_at)
      select shown.id, o.id, o.author_kind, shown.published_at from shown join owners o on o.id = shown.owner_id`,

    /** Forgets that these drafts were public. */
    forget: (posts: Posts) => run("forget")`
      update posts set former_published_at = null where id = any(${idsOf(posts)}::uuid[])`
  }
})
