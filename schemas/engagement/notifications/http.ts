import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { NotFound } from "../../platform/errors/common.ts"
import { JsonFamily } from "../../platform/errors/families.ts"
import { inJson } from "../../platform/errors/inJson.ts"
import { StrictMembers } from "../../platform/errors/strictMembers.ts"
import { PostId } from "../../platform/Ids.ts"
import { queryBoolean } from "../../platform/queryBoolean.ts"
import { clampedQueryInteger, queryInteger } from "../../platform/queryInteger.ts"
import { JsonRateLimits, rateLimit } from "../../platform/rate-limits/middleware.ts"
import { OwnerSession } from "../../platform/security/middleware.ts"
import {
  FEED_LIMIT,
  Marked,
  MarkContextReadRequest,
  MarkReadRequest,
  Mute,
  NotificationFeed
} from "./Notification.ts"
import { NotificationPreferences, NotificationPreferencesChange } from "./Preferences.ts"

const post = { params: { postId: PostId }, success: Mute, error: inJson(NotFound, "not_found") }

/** Notifications of the owner who calls, and their preferences (spec 4.6). */
export class NotificationsApi extends HttpApiGroup.make("notifications")
  .add(
    HttpApiEndpoint.put("savePreferences", "/notification-preferences", {
      payload: NotificationPreferencesChange,
      success: NotificationPreferences
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Change some preferences about notifications",
          description:
            "Changes the preferences that the request names, and returns all of them. Mail about a new Post also needs `notify_channel_email` of the follow. The preference for push messages is saved, but the service sends none."
        })
      )
      .middleware(StrictMembers),
    HttpApiEndpoint.post("markContextRead", "/notifications/mark-context-read", {
      payload: MarkContextReadRequest,
      success: Marked
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Mark notifications as read by context",
          description:
            "Marks the owner's notifications that match every filter of `context` as read. Ids may be in camelCase or snake_case."
        })
      )
      .middleware(StrictMembers)
  )
  .add(
    HttpApiEndpoint.get("preferences", "/notification-preferences", {
      success: NotificationPreferences
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Read the preferences about notifications",
        description:
          "Returns the preferences. By default everything is in the feed. New followers, and other Comments on Posts that the owner commented on, are not mailed. Sales and tips are mailed together at 08:00 UTC (`notify_sales`). Mail goes only to a confirmed address. Each mail has a link that switches its preference off without a session. The preference for push messages is saved, but the service sends none."
      })
    ),
    HttpApiEndpoint.get("feed", "/notifications", {
      query: {
        limit: Schema.optionalKey(clampedQueryInteger(FEED_LIMIT)),
        offset: Schema.optionalKey(queryInteger({ minimum: 0, maximum: 2_147_483_647, default: 0 })),
        includeAll: Schema.optionalKey(queryBoolean({ default: false }))
      },
      success: NotificationFeed
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Read the feed of notifications",
        description:
          "Returns unread notifications of the enabled types, newest first; with `includeAll`, also those that were read. The feed holds the newest 10,000 notifications, and `total` and `unread` count only these. Pages shift while notifications arrive: deduplicate by id. Notifications are kept for 180 days."
      })
    ),
    HttpApiEndpoint.post("markRead", "/notifications/mark-read", {
      payload: MarkReadRequest,
      success: Marked
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Mark notifications as read by id",
        description:
          "Marks the owner's notifications as read by id, at most 200. Duplicates count once; ids of other owners have no effect."
      })
    ),
    HttpApiEndpoint.post("markAllRead", "/notifications/mark-all-read", { success: Marked }).annotateMerge(
      OpenApi.annotations({
        summary: "Mark all notifications as read",
        description: "Marks all of the owner's notifications as read."
      })
    ),
    HttpApiEndpoint.get("mute", "/notifications/posts/:postId/mute", post).annotateMerge(
      OpenApi.annotations({
        summary: "Read whether the discussion of a Post is muted",
        description: "Returns whether the discussion of the Post is muted for the owner."
      })
    ),
    HttpApiEndpoint.put("saveMute", "/notifications/posts/:postId/mute", {
      ...post,
      payload: Mute
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Mute or unmute the discussion of a Post",
        description:
          "Mutes or unmutes the discussion of the Post for the owner. A muted Post causes no `new_comment`, `comment_reply` or `commented_post_activity`."
      })
    )
  )
  .prefix("/api/v1")
  .annotateEndpointsMerge(rateLimit("account"))
  .middleware(JsonRateLimits)
  .middleware(OwnerSession)
  .middleware(JsonFamily)
  .annotateMerge(
    OpenApi.annotations({
      title: "Notifications",
      description: "The feed of an owner, its marks, preferences and mutes"
    })
  ) {}
