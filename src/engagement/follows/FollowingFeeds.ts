import { Context, Effect, Layer, Option, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import type {
  FollowingFeedState,
  IssuedFollowingFeed
} from "../../../schemas/engagement/follows/OwnFollows.ts"
import { PublicBaseUrl } from "../../../schemas/platform/errors/PublicBaseUrl.ts"
import { FollowingFeedId, type OwnerId } from "../../../schemas/platform/Ids.ts"
import type { OwnerAuthority } from "../../../schemas/platform/security/authorities.ts"
import { hashOf, Secrets } from "../../platform/secrets/Secrets.ts"
import { now } from "../../platform/time/now.ts"
import { followingFeedStatements } from "./followingFeeds.sql.ts"

/** Begins the path of every private feed. The rest of it is a secret. */
export const FOLLOWING_FEEDS_PATH = "/feeds/following/"

/** A token as its owner got it. */
const TOKEN = /^ppf_[0-9A-Za-z]{43}$/

/**
 * Private feeds with the Posts of followed creators. The address of a feed is its only credential, because feed readers
 * send no other. So it opens nothing else, and its owner can replace it or turn it off.
 */
export class FollowingFeeds extends Context.Service<
  FollowingFeeds,
  {
    readonly read: (owner: OwnerAuthority) => Effect.Effect<FollowingFeedState>
    /** Makes an address, which is never shown again. The former one stops working. */
    readonly issue: (owner: OwnerAuthority) => Effect.Effect<IssuedFollowingFeed>
    /** As `issue`, in the place of this feed or of none. Returns none if there is another one: a repeat changes nothing. */
    readonly replace: (
      owner: OwnerAuthority,
      former: FollowingFeedId | null
    ) => Effect.Effect<Option.Option<IssuedFollowingFeed>>
    /** Makes the address stop working. A repeat changes nothing. */
    readonly revoke: (owner: OwnerAuthority) => Effect.Effect<FollowingFeedState>
    /** Returns the owner whose feed has this token; none for any other text, and for a restricted owner. */
    readonly holder: (
      token: Redacted.Redacted
    ) => Effect.Effect<Option.Option<{ readonly owner: OwnerId; readonly id: FollowingFeedId }>>
  }
>()("pennypress/engagement/follows/FollowingFeeds") {
  static readonly layer = Layer.effect(
    FollowingFeeds,
    Effect.gen(function* () {
      const feeds = yield* followingFeedStatements
      const random = yield* SecureRandom.SecureRandom
      const secrets = yield* Secrets
      const baseUrl = yield* PublicBaseUrl

      const save = Effect.fnUntraced(function* (
        owner: OwnerId,
        former: FollowingFeedId | null | undefined
      ): Effect.fn.Return<Option.Option<IssuedFollowingFeed>> {
        const id = FollowingFeedId.make(yield* random.uuidV7())
        const token = `ppf_${yield* secrets.token}`
        const tokenHash = hashOf(Redacted.make(token))
        const saved = yield* feeds.save({ owner, id, tokenHash, at: yield* now, former })
        return Option.map(saved, (feed) => ({ feed, url: `${baseUrl}${FOLLOWING_FEEDS_PATH}${token}.xml` }))
      })

      return FollowingFeeds.of({
        read: Effect.fn("FollowingFeeds.read")(function* ({ ownerId }) {
          return { feed: Option.getOrNull(yield* feeds.find(ownerId)) }
        }),
        issue: Effect.fn("FollowingFeeds.issue")(function* ({ ownerId }) {
          return Option.getOrThrow(yield* save(ownerId, undefined))
        }),
        replace: Effect.fn("FollowingFeeds.replace")(({ ownerId }, former) => save(ownerId, former)),
        revoke: Effect.fn("FollowingFeeds.revoke")(function* ({ ownerId }) {
          yield* feeds.remove(ownerId)
          return { feed: null }
        }),
        holder: Effect.fn("FollowingFeeds.holder")(function* (token) {
          if (!TOKEN.test(Redacted.value(token))) return Option.none()
          return Option.map(yield* feeds.holder(hashOf(token)), ({ id, owner_id }) => ({
            owner: owner_id,
            id
          }))
        })
      })
    })
  )
}
