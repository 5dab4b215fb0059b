import { Context, Effect, Layer, Option } from "effect"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import type { CommentId, OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import type { StaffAuthority } from "../../../schemas/platform/security/moderator.ts"
import { COUNTERS } from "../../platform/counters/Counters.ts"
import { Events } from "../../platform/events/Events.ts"
import type { EventFacts } from "../../platform/events/facts.ts"
import { PublicAnswers } from "../../platform/public-answers/PublicAnswers.ts"
import type { EraseSome } from "../../platform/sql/EraseSome.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { now } from "../../platform/time/now.ts"
import { Doorbells } from "../../platform/work/Doorbells.ts"
import { postTags } from "../../publishing/discovery/postTags.ts"
import { deletedEvent } from "./deletedEvent.ts"
import { type ChangedComment, hiddenCommentStatements } from "./hiddenComments.sql.ts"
import { newCommentsTag } from "./publicReads.ts"

/** Maximum number of Comments that one transaction hides. */
const BATCH = 500

/** The Comment of a moderation; `isChanged` is false for a repeat. */
export interface ModeratedComment {
  readonly commentId: CommentId
  readonly postId: PostId
  readonly authorId: OwnerId
  readonly isChanged: boolean
}

/**
 * Hides Comments from every reader and shows them again. A Comment may be hidden itself, and with all Comments of its
 * author; each cause is undone separately. Counters are updated, and kept answers are dropped.
 */
export class HiddenComments extends Context.Service<
  HiddenComments,
  {
    readonly hide: (authority: StaffAuthority, id: CommentId) => Effect.Effect<ModeratedComment, NotFound>
    readonly restore: (authority: StaffAuthority, id: CommentId) => Effect.Effect<ModeratedComment, NotFound>
    /** Hides some hundred Comments of a restricted account. Returns true when there may be more. */
    readonly hideSomeOf: (author: OwnerId) => Effect.Effect<boolean>
    /** Undoes `hideSomeOf` for some hundred Comments. Returns true when there may be more. */
    readonly restoreSomeOf: (author: OwnerId) => Effect.Effect<boolean>
    /** Deletes Comments of an account that is deleted. They keep their places, and the tips and replies of others. */
    readonly eraseSome: EraseSome
    /** Hides every Comment of a restricted account, in transactions of some hundred. Safe to repeat. */
    readonly hideAllOf: (author: OwnerId) => Effect.Effect<void>
    /** Undoes `hideAllOf`. Safe to repeat. */
    readonly restoreAllOf: (author: OwnerId) => Effect.Effect<void>
  }
>()("pennypress/engagement/comments/HiddenComments") {
  static readonly layer = Layer.effect(
    HiddenComments,
    Effect.gen(function* () {
      const comments = yield* hiddenCommentStatements
      const transactions = yield* Transactions
      const { changing } = yield* PublicAnswers
      const events = yield* Events
      const counted = (yield* Doorbells).bell(COUNTERS).ringHere

      /** Tells the authors of the Posts about the Comments that readers no longer see. */
      const tell = (rows: ReadonlyArray<ChangedComment>, by: EventFacts["comment.deleted"]["by"], at: Date) =>
        events.recordAll(rows.filter((row) => row.was_shown).map((row) => deletedEvent(row, by, at)))

      const set = Effect.fnUntraced(function* (id: CommentId, at: Date | null) {
        const target = yield* comments.set(id, at)
        if (Option.isNone(target)) return yield* new NotFound()
        const { author_id: authorId, is_changed: isChanged, post_id: postId } = target.value
        if (isChanged) yield* changing(shownBy([postId], at))(counted)
        if (isChanged && at !== null) yield* tell([target.value], "moderator", at)
        return { commentId: id, postId, authorId, isChanged }
      }, transactions.run)

      const setSome = Effect.fnUntraced(function* (author: OwnerId, at: Date | null) {
        const rows = yield* comments.setSome(author, at, BATCH)
        yield* changing(shownBy(postsOf(rows), at))(counted)
        if (at !== null) yield* tell(rows, "restriction", at)
        return rows.length === BATCH
      }, transactions.run)

      const setAll = (author: OwnerId, at: Date | null) =>
        setSome(author, at).pipe(Effect.repeat({ while: (mayBeMore) => mayBeMore }), Effect.asVoid)

      return HiddenComments.of({
        hide: Effect.fn("HiddenComments.hide")(function* (_authority, id) {
          return yield* set(id, yield* now)
        }),
        restore: Effect.fn("HiddenComments.restore")((_authority, id) => set(id, null)),
        hideSomeOf: Effect.fn("HiddenComments.hideSomeOf")(function* (author) {
          return yield* setSome(author, yield* now)
        }),
        restoreSomeOf: Effect.fn("HiddenComments.restoreSomeOf")((author) => setSome(author, null)),
        eraseSome: Effect.fn("HiddenComments.eraseSome")(
          function* (author, limit) {
            const at = yield* now
            const rows = yield* comments.eraseSome(author, at, limit)
            yield* changing(shownBy(postsOf(rows), null))(counted)
            yield* tell(rows, "author", at)
            return rows.length > 0
          },
          (erasing) => transactions.run(erasing)
        ),
        hideAllOf: Effect.fn("HiddenComments.hideAllOf")(function* (author) {
          yield* setAll(author, yield* now)
        }),
        restoreAllOf: Effect.fn("HiddenComments.restoreAllOf")((author) => setAll(author, null))
      })
    })
  )
}

const postsOf = (rows: ReadonlyArray<ChangedComment>) => rows.map(({ post_id }) => post_id)

/** The tags of Comments on these Posts. Those that are shown again are new to the lists that lacked them. */
const shownBy = (posts: ReadonlyArray<PostId>, hiddenAt: Date | null) => [
  ...new Set(posts.map(postTags.discussion)),
  ...(hiddenAt === null && posts.length > 0 ? [newCommentsTag] : [])
]
