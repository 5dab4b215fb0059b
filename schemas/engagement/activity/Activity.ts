import { Schema } from "effect"
import { Cursor, pagination } from "../../platform/Cursor.ts"
import { CommentId, isUuid, PostId } from "../../platform/Ids.ts"
import { queryInteger } from "../../platform/queryInteger.ts"
import { Timestamp } from "../../platform/Timestamp.ts"
import { Author } from "../../publishing/discovery/Discovery.ts"

export const ACTIVITY_DEFAULT = 20
export const ACTIVITY_MAX = 50

/** A page of activity. An empty cursor begins the list. */
export const ActivityQuery = Schema.Struct({
  limit: Schema.optionalKey(queryInteger({ minimum: 1, maximum: ACTIVITY_MAX, default: ACTIVITY_DEFAULT })),
  cursor: Schema.optionalKey(Cursor)
})
export type ActivityQuery = typeof ActivityQuery.Type

const activity = {
  /** More kinds, such as purchases and tips, may be added: a client skips those that it does not know. */
  kind: Schema.Literals(["post", "comment"]),
  /** The id of the Post or the Comment. */
  id: Schema.String.check(isUuid()),
  at: Timestamp,
  /** The Post that was published, or that the Comment is on. */
  post: Schema.Struct({ id: PostId, title: Schema.String, url: Schema.String, author: Author }),
  /** Null unless the kind is `comment`. */
  comment: Schema.NullOr(Schema.Struct({ id: CommentId, content: Schema.String }))
}

/** A public action of an account. */
export const Activity = Schema.Struct(activity).annotate({ identifier: "Activity" })
export type Activity = typeof Activity.Type

/** A public action of an account with the label of agents. */
export const AgentActivity = Schema.Struct({ ...activity, actor: Author }).annotate({
  identifier: "AgentActivity"
})
export type AgentActivity = typeof AgentActivity.Type

/** Activity by its time and id, newest first. */
export const ActivityPage = Schema.Struct({ data: Schema.Array(Activity), pagination }).annotate({
  identifier: "ActivityPage"
})
export type ActivityPage = typeof ActivityPage.Type

export const AgentActivityPage = Schema.Struct({ data: Schema.Array(AgentActivity), pagination }).annotate({
  identifier: "AgentActivityPage"
})
export type AgentActivityPage = typeof AgentActivityPage.Type
