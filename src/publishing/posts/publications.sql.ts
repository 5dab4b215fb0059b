import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import type { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { addPublishedPosts, removePublishedPosts } from "../../accounts/owners/publishedPosts.sql.ts"
import { claimName, type IdempotencyClaim } from "../../platform/idempotency/claim.ts"
import { statements } from "../../platform/sql/statements.ts"
import { nextRevision } from "./nextRevision.sql.ts"
import type { PostRow } from "./postRow.ts"
import { movePublishedCounts } from "./publishedCounts.sql.ts"
import { assignHtml, type PostHtml } from "./texts/texts.sql.ts"

/** First key of the advisory lock on the publications of an owner; the second is the owner's number. */
const LOCK = 7_104_231

/**
 * Waits for the publications of an owner that are in progress, and holds off others until the surrounding transaction
 * ends. Use it as a relation of one row. A publication that commits later then sees what the transaction wrote.
 */
export const betweenPublications = (sql: SqlClient.SqlClient, owner: OwnerId) =>
  sql`pg_advisory_xact_lock_shared(${LOCK}, hashtext(${owner}::text))`

/** As `betweenPublications`, for one holder at a time, and before any lock on a Post. */
export const holdPublications = (sql: SqlClient.SqlClient, owner: OwnerId) =>
  sql`select pg_advisory_xact_lock(${LOCK}, hashtext(${owner}::text))`

/** A change between draft and public that was decided from a row, with the claim of its key. */
interface PublicationChange {
  readonly ownerId: OwnerId
  readonly post: PostRow
  /** Undefined for a request without a key. */
  readonly claim: IdempotencyClaim | undefined
  readonly at: Date
}

/** Returns the condition that a Post is published. Readers use the view `public_posts`. */
export const isPublished = (post: string) => `${post}.status = 'published'`

/** `is_current` is false when the Post has changed since its row was read. */
const ChangedRow = Schema.Struct({ is_current: Schema.Boolean })

const PublishedRow = Schema.Struct({
  ...ChangedRow.fields,
  /** True when the Post was never public before. */
  is_first: Schema.Boolean,
  /** False while the owner is restricted. */
  is_counted: Schema.Boolean,
  /** True when the Post labelled its owner `agent`. */
  is_labelled: Schema.Boolean
})

/**
 * Statements that publish and unpublish Posts. Each claims the key of its request first, and returns none when another
 * request has the key: nothing is changed then. Locks are taken in this order: the owner's publications, the Post, its
 * owner, the counts.
 */
export const publicationStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { maybe } = statements(sql, "publications")
  const claimed = (claim: IdempotencyClaim | undefined) =>
    claim === undefined ? sql`select 1` : claimName(sql, claim)
  /** Every change of a Post and of its files gives the Post a new revision, except its withdrawal. */
  const isUnchanged = ({ id, updated_at }: PostRow, ownerId: OwnerId) =>
    sql`p.id = ${id} and p.owner_id = ${ownerId} and p.updated_at = ${updated_at}::timestamptz`

  return {
    /** Claims the key of a request that changes nothing. Returns false when another request has it. */
    keep: (claim: IdempotencyClaim | undefined) =>
      Effect.map(Effect.orDie(claimed(claim)), (rows) => rows.length === 1),

    /** Publishes a draft, dated `publishedAt`, ends its schedule, counts it and begins its own counters. Undo it unless the row is current and counted. */
    publish: (
      { at, claim, ownerId, post, publishedAt }: PublicationChange & { readonly publishedAt: Timestamp },
      html: PostHtml | undefined
    ) => maybe("publish", PublishedRow)`
      with claimed as (${claimed(claim)}),
        locked as materialized (${holdPublications(sql, ownerId)} from claimed),
        published as (
          update posts p set status = 'published', published_at = ${publishedAt}::timestamptz, ${assignHtml(sql, html)}
            first_published_at = coalesce(p.first_published_at, ${at}), updated_at = ${nextRevision(sql, at)}
          from locked, posts earlier
          where ${isUnchanged(post, ownerId)} and p.status = 'draft' and p.withdrawn_at is null and earlier.id = p.id
          returning p.id, p.published_at, earlier.first_published_at is null as is_first),
        schedule as (delete from scheduled_publications s using published where s.id = published.id),
        counters as (insert into post_counts (post_id) select id from published on conflict do nothing),
        owner as (${addPublishedPosts(
          sql,
          { ownerId, count: 1, isAgentWork: post.creation_method === "autonomous_agent" },
          "published"
        )}),
        kinds as (
          insert into post_author_kinds (post_id, owner_id, author_kind, published_at)
          select published.id, owner.id, owner.author_kind, published.published_at from published, owner),
        counted as (${movePublishedCounts(sql, [], [post], "owner")})
      select published.is_first is not null as is_current, coalesce(published.is_first, false) as is_first,
        exists (select from counted) as is_counted,
        exists (select from owner where owner.is_labelled) as is_labelled
      from claimed left join published on true`,

    /** Makes a public Post a draft, which is not counted. Undo it when the Post has changed. */
    unpublish: ({ at, claim, ownerId, post }: PublicationChange) => maybe("unpublish", ChangedRow)`
      with claimed as (${claimed(claim)}),
        unpublished as (
          update posts p set status = 'draft', published_at = null, updated_at = ${nextRevision(sql, at)}
          from claimed where ${isUnchanged(post, ownerId)} and p.status = 'published'
          returning p.id),
        owner as (${removePublishedPosts(sql, { ownerId, posts: [post.id] }, "unpublished")}),
        kinds as (delete from post_author_kinds k using owner where k.post_id = ${post.id}),
        counted as (${movePublishedCounts(sql, [post], [], "owner")})
      select exists (select from counted) as is_current from claimed`,

    /**
     * Keeps a draft that a moderator withdrew from becoming public when it is restored, because its author wants a
     * draft. Undo it when the Post has changed.
     */
    stayDraft: ({ claim, ownerId, post }: PublicationChange) => maybe("stayDraft", ChangedRow)`
      with claimed as (${claimed(claim)}),
        draft as (
          update posts p set former_published_at = null
          from claimed where ${isUnchanged(post, ownerId)} and p.status = 'draft'
          returning p.id)
      select exists (select from draft) as is_current from claimed`
  }
})
