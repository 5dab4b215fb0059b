import { Effect, Option, Schema } from "effect"
import { eventSchemas, type ListedEventType } from "../../../schemas/engagement/events/Event.ts"
import { CommentId, GiftId, OwnerId, PostId, SettlementId } from "../../../schemas/platform/Ids.ts"
import { Finances } from "../../payments/finance/Finances.ts"
import { Gifts } from "../../payments/gifts/Gifts.ts"
import type { DueEvent } from "../../platform/events/events.sql.ts"
import type { EventWithData } from "../../platform/events/Events.ts"
import { Discovery } from "../../publishing/discovery/Discovery.ts"
import { Comments } from "../comments/Comments.ts"
import { FollowLists } from "../follows/FollowLists.ts"

const isPostId = Schema.is(PostId)

/** Returns what `read` finds by the ids, or nothing without any: then it is not asked. */
const byIds = <Id extends string, A>(
  ids: ReadonlyArray<Id>,
  read: (ids: ReadonlyArray<Id>) => Effect.Effect<ReadonlyArray<A>>,
  idOf: (found: A) => string
) =>
  ids.length === 0
    ? Effect.succeed(new Map<string, A>())
    : Effect.map(
        read([...new Set(ids)]),
        (found): ReadonlyMap<string, A> => new Map(found.map((it) => [idOf(it), it]))
      )

const encoders = Object.fromEntries(
  Object.entries(eventSchemas).map(([type, { fields }]) => [
    type,
    Schema.encodeUnknownEffect(fields.data as Schema.Codec<unknown, unknown>)
  ])
) as Readonly<Record<ListedEventType, (data: unknown) => Effect.Effect<unknown, Schema.SchemaError>>>

/**
 * Makes the function that returns the `data` of events: what their causes recorded, with snapshots of the things that they are
 * about. Snapshots are made by the functions that answer reads, as everyone sees the things now. An event whose data cannot be
 * made is logged, and is absent.
 */
export const makeBodies = Effect.gen(function* () {
  const discovery = yield* Discovery
  const comments = yield* Comments
  const follows = yield* FollowLists
  const finances = yield* Finances
  const gifts = yield* Gifts

  const snapshots = Effect.fnUntraced(function* (events: ReadonlyArray<DueEvent>) {
    const subjects = (...types: ReadonlyArray<DueEvent["type"]>) =>
      events.flatMap(({ subject_id, type }) =>
        subject_id !== null && types.includes(type) ? [subject_id] : []
      )
    const commented = events.flatMap(({ data, type }) =>
      type === "comment.created" && isPostId(data.postId) ? [data.postId] : []
    )
    const posts = yield* byIds(
      [...subjects("post.published", "post.updated").map((id) => PostId.make(id)), ...commented],
      discovery.postsById,
      ({ id }) => id
    )
    const written = yield* byIds(
      subjects("comment.created").map((id) => CommentId.make(id)),
      comments.byIds,
      ({ id }) => id
    )
    const pairs = events.flatMap(({ owner_id, subject_id, type }) =>
      type === "follow.created" && subject_id !== null
        ? [{ creator: owner_id, follower: OwnerId.make(subject_id) }]
        : []
    )
    const followers = pairs.length === 0 ? [] : yield* follows.followersById(pairs)
    const paid = subjects("purchase.settled", "purchase.refunded", "tip.settled")
    const { sales, tips } =
      paid.length === 0
        ? { sales: [], tips: [] }
        : yield* finances.paymentsById([...new Set(paid)].map((id) => SettlementId.make(id)))
    const given = yield* byIds(
      subjects("gift.redeemed").map((id) => GiftId.make(id)),
      gifts.byIds,
      ({ id }) => id
    )
    return { posts, written, followers, sales, tips, given }
  })

  type Snapshots = Effect.Success<ReturnType<typeof snapshots>>

  const dataOf = ({ data, owner_id, subject_id: id, type }: DueEvent, known: Snapshots): unknown => {
    switch (type) {
      case "post.published":
      case "post.updated":
        return { post: known.posts.get(id ?? "") ?? { id }, ...data }
      case "comment.created": {
        const { postId } = data
        const url = known.posts.get(String(postId))?.url ?? null
        return { comment: known.written.get(id ?? "") ?? { id }, post: { id: postId, url } }
      }
      case "follow.created": {
        const found = known.followers.find(
          ({ creator, follower }) => creator === owner_id && follower.id === id
        )
        return { follower: found?.follower ?? { id } }
      }
      case "purchase.settled":
      case "purchase.refunded":
        return { sale: known.sales.find((sale) => sale.id === id) }
      case "tip.settled":
        return { tip: known.tips.find((tip) => tip.id === id) }
      case "gift.redeemed":
        return { gift: known.given.get(id ?? "") ?? { id } }
      default:
        return data
    }
  }

  return Effect.fn("Events.bodies")(function* (events: ReadonlyArray<DueEvent>) {
    const known = yield* snapshots(events)
    const made = yield* Effect.forEach(events, (event) =>
      event.type === "webhook.test"
        ? Effect.succeedNone
        : encoders[event.type](dataOf(event, known)).pipe(
            Effect.map((data) => Option.some<EventWithData>({ event, data })),
            Effect.catch((error) =>
              Effect.logError("The body of an event could not be made: it is dropped", error).pipe(
                Effect.annotateLogs({ id: event.id, type: event.type }),
                Effect.as(Option.none())
              )
            )
          )
    )
    return made.flatMap((one) => (Option.isSome(one) ? [one.value] : []))
  })
})
