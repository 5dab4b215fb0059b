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
      .annotate(OpenApi.Summary, "Change some preferences about notifications")
      .middleware(StrictMembers),
    HttpApiEndpoint.post("markContextRead", "/notifications/mark-context-read", {
      payload: MarkContextReadRequest,
      success: Marked
    })
      .annotate(OpenApi.Summary, "Mark notifications as read by context")
      .middleware(StrictMembers)
  )
  .add(
    HttpApiEndpoint.get("preferences", "/notification-preferences", {
      success: NotificationPreferences
    }).annotate(OpenApi.Summary, "Read the preferences about notifications"),
    HttpApiEndpoint.get("feed", "/notifications", {
      query: {
        limit: Schema.optionalKey(clampedQueryInteger(FEED_LIMIT)),
        offset: Schema.optionalKey(queryInteger({ minimum: 0, maximum: 2_147_483_647, default: 0 })),
        includeAll: Schema.optionalKey(queryBoolean({ default: false }))
      },
      success: NotificationFeed
    }).annotate(OpenApi.Summary, "Read the feed of notifications"),
    HttpApiEndpoint.post("markRead", "/notifications/mark-read", {
      payload: MarkReadRequest,
      success: Marked
    }).annotate(OpenApi.Summary, "Mark notifications as read by id"),
    HttpApiEndpoint.post("markAllRead", "/notifications/mark-all-read", { success: Marked }).annotate(
      OpenApi.Summary,
      "Mark all notifications as read"
    ),
    HttpApiEndpoint.get("mute", "/notifications/posts/:postId/mute", post).annotate(
      OpenApi.Summary,
      "Read whether the discussion of a Post is muted"
    ),
    HttpApiEndpoint.put("saveMute", "/notifications/posts/:postId/mute", { ...post, payload: Mute }).annotate(
      OpenApi.Summary,
      "Mute or unmute the discussion of a Post"
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
      description: "The feed of an owner, its marks, preferences and mutes (spec 2.9, 4.6)"
    })
  ) {}
