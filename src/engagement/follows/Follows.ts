import { Context, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { SelfFollow } from "../../../schemas/engagement/follows/errors.ts"
import type { Follow, FollowPreferences, FollowState } from "../../../schemas/engagement/follows/Follow.ts"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { FollowId, type OwnerId } from "../../../schemas/platform/Ids.ts"
import type { OwnerAuthority } from "../../../schemas/platform/security/authorities.ts"
import { COUNTERS } from "../../platform/counters/Counters.ts"
import { EVENTS } from "../../platform/events/Events.ts"
import { PublicAnswers } from "../../platform/public-answers/PublicAnswers.ts"
import { DAY_MILLIS, later, now } from "../../platform/time/now.ts"
import { Doorbells } from "../../platform/work/Doorbells.ts"
import { NOTIFICATION_MAILS } from "../notifications/mails/mailsDue.sql.ts"
import { followStatements, type Pair } from "./follows.sql.ts"
import { followsTag } from "./publicReads.ts"

/** A follow that begins again within this time after its end is silent: the creator is notified only once. */
const SILENT_MILLIS = DAY_MILLIS

/** The creators whom an owner follows (spec 4.6). */
export class Follows extends Context.Service<
  Follows,
  {
    /** Fails with `NotFound` for an unknown creator. */
    readonly read: (owner: OwnerAuthority, creator: OwnerId) => Effect.Effect<FollowState, NotFound>
    /**
     * Sets the desired state (spec 4.6.5). A repeat changes nothing. A new follow notifies the creator, unless the
     * owner followed them within the last 24 hours. A restricted account is unknown to owners who do not follow it.
     */
    readonly save: (
      owner: OwnerAuthority,
      creator: OwnerId,
      following: boolean
    ) => Effect.Effect<FollowState, NotFound | SelfFollow>
    /** Fails with `NotFound` for the follow of another owner, and for one that ended. */
    readonly readPreferences: (owner: OwnerAuthority, id: FollowId) => Effect.Effect<Follow, NotFound>
    /** Changes the named preferences. Fails like `readPreferences`. */
    readonly savePreferences: (
      owner: OwnerAuthority,
      id: FollowId,
      preferences: FollowPreferences
    ) => Effect.Effect<Follow, NotFound>
  }
>()("pennypress/engagement/follows/Follows") {
  static readonly layer = Layer.effect(
    Follows,
    Effect.gen(function* () {
      const follows = yield* followStatements
      const random = yield* SecureRandom.SecureRandom
      const { changing } = yield* PublicAnswers
      const { bell } = yield* Doorbells
      const counted = bell(COUNTERS).ringHere
      const mailDue = bell(NOTIFICATION_MAILS).ring
      const eventDue = bell(EVENTS).ring

      const read = (pair: Pair) =>
        Effect.map(Effect.flatMap(follows.find(pair), found), (row) => stateOf(row.id === null ? null : row))

      const follow = Effect.fnUntraced(function* (pair: Pair) {
        const at = yield* now
        const id = FollowId.make(yield* random.uuidV7())
        const eventId = yield* random.uuidV7()
        const begun = yield* follows.begin({
          ...pair,
          id,
          eventId,
          at,
          silentAfter: later(at, -SILENT_MILLIS)
        })
        if (Option.isNone(begun)) return yield* read(pair)
        const { is_recorded, mailed, ...follow } = begun.value
        yield* counted
        if (mailed > 0) yield* mailDue
        if (is_recorded) yield* eventDue
        return stateOf(follow)
      })

      const unfollow = Effect.fnUntraced(function* (pair: Pair) {
        if (!(yield* follows.end(pair, yield* now))) return yield* read(pair)
        yield* counted
        return stateOf(null)
      })

      return Follows.of({
        read: Effect.fn("Follows.read")(function* ({ ownerId }, creator) {
          return yield* read({ follower: ownerId, creator })
        }),
        save: Effect.fn("Follows.save")(function* ({ ownerId }, creator, following) {
          if (following && ownerId === creator) return yield* new SelfFollow()
          const pair = { follower: ownerId, creator }
          const save = following ? follow(pair) : unfollow(pair)
          return yield* changing([followsTag(ownerId), followsTag(creator)])(save)
        }),
        readPreferences: Effect.fn("Follows.readPreferences")(function* ({ ownerId }, id) {
          return yield* found(yield* follows.findOwn(ownerId, id))
        }),
        savePreferences: Effect.fn("Follows.savePreferences")(function* ({ ownerId }, id, preferences) {
          return yield* found(yield* follows.setPreferences(ownerId, id, preferences))
        })
      })
    })
  )
}

const found = <A>(row: Option.Option<A>): Effect.Effect<A, NotFound> =>
  Effect.mapError(Effect.fromOption(row), () => new NotFound())

const stateOf = (follow: Follow | null): FollowState => ({ following: follow !== null, follow })
