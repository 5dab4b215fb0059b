import { Context, Effect, Layer, Option } from "effect"
import {
  type FollowCounts,
  type FollowListRow,
  FOLLOWS_PER_PAGE_DEFAULT,
  type FollowPage,
  type FollowPaging
} from "../../../schemas/engagement/follows/Follow.ts"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import type { OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import { OwnMedia } from "../../platform/media/OwnMedia.ts"
import { followListStatements } from "./followLists.sql.ts"
import type { Pair } from "./follows.sql.ts"

/** Public reads of who follows whom (spec 4.5). All fail with `NotFound` for an unknown or restricted owner. */
export class FollowLists extends Context.Service<
  FollowLists,
  {
    /** Lists the followers of an owner, newest first. */
    readonly followers: (owner: OwnerId, paging: FollowPaging) => Effect.Effect<FollowPage, NotFound>
    /** Returns those of the followers that the lists of their creators have, each with the creator, in any order. */
    readonly followersById: (
      pairs: ReadonlyArray<Pair>
    ) => Effect.Effect<ReadonlyArray<{ readonly creator: OwnerId; readonly follower: FollowListRow }>>
    /** Lists the creators whom an owner follows, newest first. */
    readonly following: (owner: OwnerId, paging: FollowPaging) => Effect.Effect<FollowPage, NotFound>
    /** Returns exact counts, including a follow that was saved a moment ago. */
    readonly counts: (owner: OwnerId, viewer: OwnerId | null) => Effect.Effect<FollowCounts, NotFound>
    /** Returns the number of followers who are notified of the publication of an owner's Post; 0 unless it is the first one. */
    readonly notified: (owner: OwnerId, post: PostId) => Effect.Effect<number>
  }
>()("pennypress/engagement/follows/FollowLists") {
  static readonly layer = Layer.effect(
    FollowLists,
    Effect.gen(function* () {
      const lists = yield* followListStatements
      const media = yield* OwnMedia

      const rowOf = ({ author_kind, avatar_url, followed_at, handle, id, name }: FollowListRow) => ({
        id,
        name,
        handle,
        avatar_url: media.urlOf(avatar_url),
        author_kind,
        followed_at
      })

      const list = (side: "followers" | "following") =>
        Effect.fn(`FollowLists.${side}`)(function* (
          owner: OwnerId,
          { page = 1, per_page: limit = FOLLOWS_PER_PAGE_DEFAULT }: FollowPaging
        ) {
          const found = yield* lists.page(side, owner, { page, limit })
          if (Option.isNone(found)) return yield* new NotFound()
          const { rows, total } = found.value
          return { data: rows.map(rowOf), total, page, per_page: limit }
        })

      return FollowLists.of({
        notified: lists.notified,
        followers: list("followers"),
        followersById: (pairs) =>
          Effect.map(lists.followers(pairs), (rows) =>
            rows.map((row) => ({ creator: row.creator_id, follower: rowOf(row) }))
          ),
        following: list("following"),
        counts: Effect.fn("FollowLists.counts")(function* (owner, viewer) {
          const counts = yield* lists.counts(owner, viewer)
          if (Option.isNone(counts)) return yield* new NotFound()
          const { followers, following, viewer_follows } = counts.value
          return { followers, following, viewerFollows: viewer === null ? null : viewer_follows }
        })
      })
    })
  )
}
