import { Context, Effect, Layer, Option } from "effect"
import { PublicBaseUrl } from "../../../../schemas/platform/errors/PublicBaseUrl.ts"
import type { OwnerId, PostId } from "../../../../schemas/platform/Ids.ts"
import type { StaffAuthority } from "../../../../schemas/platform/security/moderator.ts"
import type { PostStatus } from "../../../../schemas/publishing/posts/Post.ts"
import { Owners } from "../../../accounts/owners/Owners.ts"
import { Events } from "../../../platform/events/Events.ts"
import { Transactions } from "../../../platform/sql/Transactions.ts"
import { now } from "../../../platform/time/now.ts"
import { checkPublication } from "../completeness.ts"
import { Notices } from "../Notices.ts"
import { unpublishedEvent } from "../unpublishedEvent.ts"
import { makeUpdatingReaders } from "../updatingReaders.ts"
import { type ModeratedRow, withdrawalStatements } from "./withdrawals.sql.ts"

/** Number of Posts in one step over all Posts of an owner. */
const STEP_POSTS = 200

/** A Post after a moderator's request, and whether the request changed it. */
export interface ModeratedPost {
  readonly ownerId: OwnerId
  readonly status: PostStatus
  readonly isWithdrawn: boolean
  readonly isChanged: boolean
}

/**
 * Withdraws Posts from the public and restores them, for moderation. A withdrawn Post is a draft, which its author may
 * edit. It returns with its time of publication, if it was public and still has everything that a public Post needs.
 *
 * Locks are taken in the order of `Publishing`: Posts, their owner, the counts.
 */
export class Withdrawals extends Context.Service<
  Withdrawals,
  {
    /** Withdraws a Post, which cannot be published until it is restored. Returns none for an unknown Post. */
    readonly withdraw: (authority: StaffAuthority, id: PostId) => Effect.Effect<Option.Option<ModeratedPost>>
    /** Ends a withdrawal. The Post of a restricted account returns to the public when that restriction ends. */
    readonly restore: (authority: StaffAuthority, id: PostId) => Effect.Effect<Option.Option<ModeratedPost>>
    /** Withdraws some of the public Posts of a restricted owner. Returns true when there are more. */
    readonly takeDownSome: (owner: OwnerId) => Effect.Effect<boolean>
    /** Returns to the public some of the Posts that the restriction of their owner withdrew; true when there are more. */
    readonly putBackSome: (owner: OwnerId) => Effect.Effect<boolean>
  }
>()("pennypress/publishing/posts/withdrawal/Withdrawals") {
  static readonly layer = Layer.effect(
    Withdrawals,
    Effect.gen(function* () {
      const withdrawals = yield* withdrawalStatements
      const owners = yield* Owners
      const events = yield* Events
      const notices = yield* Notices
      const baseUrl = yield* PublicBaseUrl
      const transactions = yield* Transactions
      const updatingReaders = yield* makeUpdatingReaders

      const takeDown = Effect.fnUntraced(function* (
        ownerId: OwnerId,
        posts: ReadonlyArray<ModeratedRow>,
        by: "moderator" | "restriction"
      ) {
        if (posts.length === 0) return
        const ids = posts.map(({ id }) => id)
        const at = yield* now
        yield* owners.removePublishedPosts(ownerId, ids)
        yield* updatingReaders(...ids)(withdrawals.takeDown(posts, at))
        yield* notices.unpublished(ids)
        yield* events.recordAll(posts.map((post) => unpublishedEvent(post, { ownerId, by, baseUrl, at })))
      })

      /** Returns the Posts that became public: none while their owner is restricted. */
      const putBack = Effect.fnUntraced(function* (owner: OwnerId, posts: ReadonlyArray<ModeratedRow>) {
        const complete = yield* Effect.filter(posts, (post) => Effect.isSuccess(checkPublication(post, post)))
        const incomplete = posts.filter((post) => !complete.includes(post))
        if (incomplete.length > 0) yield* withdrawals.forget(incomplete)
        if (complete.length === 0) return complete
        const isAgentWork = complete.some((post) => post.creation_method === "autonomous_agent")
        if (!(yield* owners.addPublishedPosts(owner, complete.length, { isAgentWork }))) return []
        const ids = complete.map(({ id }) => id)
        const at = yield* now
        yield* updatingReaders(...ids)(withdrawals.putBack(complete, at))
        yield* events.recordAll(
          ids.map((id) => ({
            ownerId: owner,
            type: "post.published",
            subjectId: id,
            data: { isFirst: false, isScheduled: false },
            at
          }))
        )
        return complete
      })

      return Withdrawals.of({
        withdraw: Effect.fn("Withdrawals.withdraw")(
          function* (_, id) {
            const found = yield* withdrawals.lock(id)
            if (Option.isNone(found)) return Option.none()
            const post = found.value
            if (!post.is_withdrawn) {
              if (post.status === "published") yield* takeDown(post.owner_id, [post], "moderator")
              yield* withdrawals.setWithdrawn(id, yield* now)
            }
            const { is_withdrawn: isRepeat, owner_id: ownerId } = post
            return Option.some({ ownerId, status: "draft" as const, isWithdrawn: true, isChanged: !isRepeat })
          },
          (effect) => transactions.run(effect)
        ),

        restore: Effect.fn("Withdrawals.restore")(
          function* (_, id) {
            const found = yield* withdrawals.lock(id)
            if (Option.isNone(found)) return Option.none()
            const post = found.value
            const { owner_id: ownerId } = post
            if (!post.is_withdrawn)
              return Option.some({ ownerId, status: post.status, isWithdrawn: false, isChanged: false })
            yield* withdrawals.setWithdrawn(id, null)
            const shown = post.was_public ? yield* putBack(ownerId, [post]) : []
            const status = shown.length > 0 ? ("published" as const) : ("draft" as const)
            return Option.some({ ownerId, status, isWithdrawn: false, isChanged: true })
          },
          (effect) => transactions.run(effect)
        ),

        takeDownSome: Effect.fn("Withdrawals.takeDownSome")(
          function* (owner) {
            yield* takeDown(owner, yield* withdrawals.lockPublic(owner, STEP_POSTS), "restriction")
            return yield* withdrawals.hasPublic(owner)
          },
          (effect) => transactions.run(effect)
        ),

        putBackSome: Effect.fn("Withdrawals.putBackSome")(
          function* (owner) {
            yield* putBack(owner, yield* withdrawals.lockFormer(owner, STEP_POSTS))
            return yield* withdrawals.hasFormer(owner)
          },
          (effect) => transactions.run(effect)
        )
      })
    })
  )
}
