import { Context, Effect, Layer, Struct } from "effect"
import {
  FEED_LIMIT,
  type Marked,
  type NotificationContext,
  type NotificationFeed
} from "../../../../schemas/engagement/notifications/Notification.ts"
import { emailKeys } from "../../../../schemas/engagement/notifications/Preferences.ts"
import type { NotificationId } from "../../../../schemas/platform/Ids.ts"
import type { OwnerAuthority } from "../../../../schemas/platform/security/authorities.ts"
import { OwnMedia } from "../../../platform/media/OwnMedia.ts"
import { DAY_MILLIS, later, now } from "../../../platform/time/now.ts"
import { Preferences } from "../preferences/Preferences.ts"
import { feedStatements } from "./feed.sql.ts"
import { notificationOf } from "./feedRow.ts"

/** Time for which notifications are kept. */
const KEPT_MILLIS = 180 * DAY_MILLIS
/** Number of notifications that one statement of a sweep removes. */
const SWEPT_MAX = 10_000

/** The page to read. */
export interface FeedRequest {
  readonly limit?: number
  readonly offset?: number
  /** True also shows notifications that were read. */
  readonly includeAll?: boolean
}

/** Returns the types that a feed shows. */
export const shownTypes = (preferences: NotificationFeed["preferences"]) =>
  preferences.in_app_notifications
    ? Struct.keys(emailKeys).filter((type) => preferences[`${emailKeys[type]}_inapp`])
    : []

/** The feed of an owner, and its marks (spec 4.6.6 to 4.6.8). */
export class Notifications extends Context.Service<
  Notifications,
  {
    /**
     * Returns a page of the unread notifications of enabled types, newest first; with `includeAll`, also those that
     * were read. Notifications are written under any preferences, so a type that is enabled again shows its own.
     */
    readonly feed: (owner: OwnerAuthority, request: FeedRequest) => Effect.Effect<NotificationFeed>
    /** Counts what `feed` counts as unread, and reads nothing else. */
    readonly unread: (owner: OwnerAuthority) => Effect.Effect<number>
    /** Marks the owner's notifications by id; others do not count. */
    readonly markRead: (owner: OwnerAuthority, ids: ReadonlyArray<NotificationId>) => Effect.Effect<Marked>
    /** Marks the owner's notifications that match every filter. */
    readonly markContextRead: (owner: OwnerAuthority, context: NotificationContext) => Effect.Effect<Marked>
    /** Marks all of the owner's notifications, including those of disabled types. */
    readonly markAllRead: (owner: OwnerAuthority) => Effect.Effect<Marked>
    /** Removes notifications that are older than 180 days. */
    readonly sweep: Effect.Effect<void>
  }
>()("pennypress/engagement/notifications/feed/Notifications") {
  static readonly layer = Layer.effect(
    Notifications,
    Effect.gen(function* () {
      const feed = yield* feedStatements
      const media = yield* OwnMedia
      const preferencesOf = (yield* Preferences).read

      return Notifications.of({
        feed: Effect.fn("Notifications.feed")(function* (owner, request) {
          const { includeAll = false, limit = FEED_LIMIT.default, offset = 0 } = request
          const { notify_sales: _notifySales, ...preferences } = yield* preferencesOf(owner)
          const types = shownTypes(preferences)
          const rows = yield* feed.page({ owner: owner.ownerId, types, includeAll, limit, offset })
          const { total = 0, unread = 0 } = rows[0] ?? {}
          const notifications = rows.flatMap((row) => (row.id === null ? [] : [notificationOf(row, media)]))
          const hasMore = offset + notifications.length < total && notifications.length > 0
          return {
            notifications,
            total,
            unread,
            preferences,
            pagination: { limit, offset, hasMore },
            includeAll
          }
        }),

        unread: Effect.fn("Notifications.unread")(({ ownerId }) => feed.unread(ownerId)),

        markRead: Effect.fn("Notifications.markRead")(function* ({ ownerId }, ids) {
          return { updated: ids.length === 0 ? 0 : yield* feed.markIds(ownerId, ids, yield* now) }
        }),

        markContextRead: Effect.fn("Notifications.markContextRead")(function* ({ ownerId }, context) {
          return { updated: yield* feed.markContext(ownerId, context, yield* now) }
        }),

        markAllRead: Effect.fn("Notifications.markAllRead")(function* ({ ownerId }) {
          return { updated: yield* feed.markAll(ownerId, yield* now) }
        }),

        sweep: Effect.flatMap(now, (at) =>
          feed
            .sweep(later(at, -KEPT_MILLIS), SWEPT_MAX)
            .pipe(Effect.repeat({ while: (removed) => removed === SWEPT_MAX }), Effect.asVoid)
        )
      })
    })
  )
}
