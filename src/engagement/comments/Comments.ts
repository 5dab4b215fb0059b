import { Context, Effect, Layer, Option, Schema } from "effect"
import {
  type Comment,
  type CommentDraft,
  COMMENTS_BYTES_MAX,
  COMMENTS_MAX,
  type DeletedComment,
  type SavedComment
} from "../../../schemas/engagement/comments/Comment.ts"
import { CommentNotReloaded } from "../../../schemas/engagement/comments/errors.ts"
import {
  COMMENT_PAGE_DEFAULT,
  type CommentPage,
  type CommentsQuery,
  type ReceivedComment,
  type ReceivedCommentPage,
  type ReceivedCommentsQuery
} from "../../../schemas/engagement/comments/page.ts"
import { Forbidden, NotFound, Validation } from "../../../schemas/platform/errors/common.ts"
import { PublicBaseUrl } from "../../../schemas/platform/errors/PublicBaseUrl.ts"
import { CommentId, type OwnerId, type PostId } from "../../../schemas/platform/Ids.ts"
import type { OwnerAuthority } from "../../../schemas/platform/security/authorities.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { Purchases } from "../../payments/purchases/Purchases.ts"
import { COUNTERS } from "../../platform/counters/Counters.ts"
import { Cursors } from "../../platform/cursors/Cursors.ts"
import { Events } from "../../platform/events/Events.ts"
import { OwnMedia } from "../../platform/media/OwnMedia.ts"
import { PublicAnswers } from "../../platform/public-answers/PublicAnswers.ts"
import { fewAtOnce } from "../../platform/sql/fewAtOnce.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { now } from "../../platform/time/now.ts"
import { Doorbells } from "../../platform/work/Doorbells.ts"
import { postTags } from "../../publishing/discovery/postTags.ts"
import { answerableFrom } from "./answered.sql.ts"
import { type AppendRefusal, makeAppendComment } from "./appendComment.ts"
import { commentOf, type CommentRow } from "./commentRow.ts"
import { commentStatements } from "./comments.sql.ts"
import { deletedEvent } from "./deletedEvent.ts"
import { type ReceivedCommentRow, receivedCommentStatements } from "./receivedComments.sql.ts"

/** Maximum number of concurrent reads of whole discussions. Each may hold megabytes until its answer is made. */
const DISCUSSIONS_AT_ONCE = 8

/** A Comment that readers see. A deleted one is seen as a tombstone. */
export interface VisibleComment {
  readonly commentId: CommentId
  readonly postId: PostId
  readonly authorId: OwnerId
  readonly isDeleted: boolean
}

/** Comments on Posts (spec 4.5, 4.6). A viewer is the owner who reads, or null. */
export class Comments extends Context.Service<
  Comments,
  {
    /**
     * Returns a page of a discussion, or of one of its threads, by time and id. A hidden, disabled or missing discussion
     * is empty. Fails for a cursor of another Post or thread.
     */
    readonly page: (
      viewer: OwnerId | null,
      postId: PostId,
      query: CommentsQuery
    ) => Effect.Effect<CommentPage, Validation>
    /**
     * Returns the newest Comments of a discussion in ascending order: at most `COMMENTS_MAX` Comments and
     * `COMMENTS_BYTES_MAX` bytes.
     */
    readonly newest: (viewer: OwnerId | null, postId: PostId) => Effect.Effect<ReadonlyArray<Comment>>
    /**
     * Returns a page of the Comments of others on all Posts of the caller, or on one of them, newest first. It also has those that readers
     * do not see now, on drafts and in closed discussions, but none that are deleted or hidden.
     */
    readonly received: (
      owner: OwnerAuthority,
      query: ReceivedCommentsQuery & {
        readonly postId?: PostId
        /** True leaves out those that are answered or take no answer. */
        readonly isToAnswer?: boolean
      }
    ) => Effect.Effect<ReceivedCommentPage, Validation>
    /**
     * Saves a Comment. A repeat with the same key returns the saved one and is not counted against the rates. Fails with
     * `CommentNotReloaded` when a repeat cannot read the saved Comment.
     */
    readonly append: (
      owner: OwnerAuthority,
      postId: PostId,
      draft: CommentDraft,
      idempotencyKey: string
    ) => Effect.Effect<SavedComment, AppendRefusal | CommentNotReloaded>
    readonly read: (owner: OwnerAuthority, id: CommentId) => Effect.Effect<Comment, NotFound>
    /** Returns those of the Comments that everyone sees, in any order. */
    readonly byIds: (ids: ReadonlyArray<CommentId>) => Effect.Effect<ReadonlyArray<Comment>>
    /**
     * Erases the content of the caller's own Comment or, as moderator, of a Comment on the caller's own Post (spec
     * 4.6.3). A repeat returns the first deletion. Other Comments are `Forbidden`, and those that the caller cannot see
     * `NotFound`.
     */
    readonly remove: (
      owner: OwnerAuthority,
      id: CommentId
    ) => Effect.Effect<DeletedComment, NotFound | Forbidden>
    /** Returns the Comment if readers see it, for features whose target it is. */
    readonly visible: (id: CommentId) => Effect.Effect<Option.Option<VisibleComment>>
  }
>()("pennypress/engagement/comments/Comments") {
  static readonly layer = Layer.effect(
    Comments,
    Effect.gen(function* () {
      const comments = yield* commentStatements
      const received = yield* receivedCommentStatements
      const baseUrl = yield* PublicBaseUrl
      const media = yield* OwnMedia
      const cursors = yield* Cursors
      const transactions = yield* Transactions
      const { changing } = yield* PublicAnswers
      const events = yield* Events
      const { buyersAmong } = yield* Purchases
      const counted = (yield* Doorbells).bell(COUNTERS).ringHere
      const appendComment = yield* makeAppendComment
      const discussions = fewAtOnce(DISCUSSIONS_AT_ONCE)

      const commentsOf = Effect.fnUntraced(function* (postId: PostId, rows: ReadonlyArray<CommentRow>) {
        const bought = yield* buyersAmong(postId, [...new Set(rows.map((row) => row.author_id))])
        return rows.map((row) => commentOf(row, bought, media))
      })

      const commentOfRow = (row: CommentRow) =>
        Effect.map(buyersAmong(row.post_id, [row.author_id]), (bought) => commentOf(row, bought, media))

      const found = <A>(row: Option.Option<A>) =>
        Effect.mapError(Effect.fromOption(row), () => new NotFound())

      /** Reads a cursor of this list; an empty one begins it. */
      const afterCursor = Effect.fnUntraced(function* (list: string, cursor: string | undefined) {
        if (cursor === undefined || cursor === "") return undefined
        const position = Option.flatMap(yield* cursors.read(list, cursor), decodePosition)
        if (Option.isNone(position)) return yield* wrongCursor()
        const [createdAt, id] = position.value
        return { createdAt, id }
      })

      /** Returns the rows of a page, and where the next one begins. */
      const paged = Effect.fnUntraced(function* <Row extends CommentRow>(
        list: string,
        rows: ReadonlyArray<Row>,
        limit: number
      ) {
        const shown = rows.slice(0, limit)
        const last = rows.length > limit ? shown.at(-1) : undefined
        const nextCursor = last === undefined ? null : yield* cursors.make(list, [last.created_at, last.id])
        return { shown, pagination: { limit, nextCursor, hasMore: nextCursor !== null } }
      })

      return Comments.of({
        page: Effect.fn("Comments.page")(function* (viewer, postId, query) {
          const { cursor, limit = COMMENT_PAGE_DEFAULT, threadRootId } = query
          const list = `comments ${postId} ${threadRootId ?? ""}`
          const after = yield* afterCursor(list, cursor)
          const rows = yield* comments.slice(viewer, { postId, threadRootId, after, limit })
          const { pagination, shown } = yield* paged(list, rows, limit)
          return { comments: yield* commentsOf(postId, shown), pagination }
        }),

        received: Effect.fn("Comments.received")(function* (
          { ownerId },
          { cursor, isToAnswer = false, limit = COMMENT_PAGE_DEFAULT, postId }
        ) {
          const filter = `${isToAnswer ? " to answer" : ""}${postId === undefined ? "" : ` on ${postId}`}`
          const list = `received comments ${ownerId}${filter}`
          const after = yield* afterCursor(list, cursor)
          const from = isToAnswer ? answerableFrom(yield* now) : undefined
          const rows = yield* received.slice(ownerId, { after, limit, postId, answerableFrom: from })
          const { pagination, shown } = yield* paged(list, rows, limit)
          return { comments: shown.map((row) => receivedOf(row, baseUrl, media)), pagination }
        }),

        newest: Effect.fn("Comments.newest")((viewer, postId) =>
          discussions(postId)(
            Effect.flatMap(
              comments.newest(viewer, postId, { limit: COMMENTS_MAX, bytesMax: COMMENTS_BYTES_MAX }),
              (rows) => commentsOf(postId, rows)
            )
          )
        ),

        append: Effect.fnUntraced(function* ({ ownerId }, postId, draft, idempotencyKey) {
          const { id, saved } = yield* appendComment(ownerId, postId, draft, idempotencyKey)
          if (saved !== undefined) {
            const buyers = new Set(saved.hasPurchased ? [ownerId] : [])
            return { ...commentOf(saved.row, buyers, media), replayed: false }
          }
          const comment = yield* comments.find(ownerId, id).pipe(
            Effect.flatMap(Effect.fromOption),
            Effect.orDie,
            Effect.flatMap(commentOfRow),
            Effect.catchDefect(
              Effect.fnUntraced(function* (defect) {
                yield* Effect.logWarning("A saved Comment could not be read back", defect)
                return yield* new CommentNotReloaded({ commentId: id })
              })
            )
          )
          return { ...comment, replayed: true }
        }),

        read: Effect.fn("Comments.read")(function* ({ ownerId }, id) {
          const row = yield* found(
            Option.filter(yield* comments.find(ownerId, id), ({ is_visible }) => is_visible)
          )
          return yield* commentOfRow(row)
        }),

        byIds: (ids) =>
          Effect.map(comments.byIds(ids), (rows) =>
            rows.map((row) => commentOf(row, new Set(row.has_purchased ? [row.author_id] : []), media))
          ),

        remove: Effect.fn("Comments.remove")(
          function* ({ ownerId }, id) {
            const at = yield* now
            const removal = yield* found(yield* comments.remove(id, ownerId, at))
            const { deleted_at, deleted_by_role, is_hidden, is_new, is_visible, post_id, role } = removal
            if (role === null || deleted_at === null || deleted_by_role === null) {
              return yield* is_visible ? new Forbidden({ detail: NOT_YOURS }) : new NotFound()
            }
            if (is_new) {
              yield* changing([postTags.discussion(post_id)])(counted)
              // Readers of events heard of a hidden one already.
              if (!is_hidden) {
                const by = deleted_by_role === "author" ? "author" : "post_author"
                yield* events.record(deletedEvent({ ...removal, id }, by, at))
              }
            }
            return { success: true, id, post_id, deleted_at, deleted_by_role } as const
          },
          (effect) => transactions.run(effect)
        ),

        visible: (id) =>
          Effect.map(
            comments.visible(id),
            Option.map((row) => ({
              commentId: row.id,
              postId: row.post_id,
              authorId: row.author_id,
              isDeleted: row.is_deleted
            }))
          )
      })
    })
  )
}

const decodePosition = Schema.decodeUnknownOption(Schema.Tuple([Timestamp, CommentId]))

/** Returns the Comment of a row with its Post. `baseUrl` is the origin of the Post's URL. */
const receivedOf = (
  row: ReceivedCommentRow,
  baseUrl: string,
  media: OwnMedia["Service"]
): ReceivedComment => ({
  ...commentOf(row, new Set(row.has_purchased ? [row.author_id] : []), media),
  post: {
    id: row.post_id,
    title: row.title,
    status: row.status,
    url: row.status === "published" ? `${baseUrl}/@${row.owner_handle}/${row.slug}` : null,
    commentsEnabled: row.comments_enabled,
    updatedAt: row.updated_at
  }
})

const NOT_YOURS = "Only its author and the author of the Post can delete a Comment"

const wrongCursor = () =>
  new Validation({
    errors: [
      {
        field: "cursor",
        code: "invalid",
        message: "Send the nextCursor of this list, or an empty cursor to begin"
      }
    ]
  })
