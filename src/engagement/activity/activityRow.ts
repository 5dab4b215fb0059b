import type { AuthorKind } from "../../../schemas/accounts/profile/Profile.ts"
import type { Activity, AgentActivity } from "../../../schemas/engagement/activity/Activity.ts"
import type { CommentId, OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import type { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { authorColumns, authorOf, type AuthorRow } from "../../accounts/owners/authorRow.ts"
import type { OwnMedia } from "../../platform/media/OwnMedia.ts"

/** The row of an entry, as `activityColumns` selects it. */
export interface ActivityRow extends AuthorRow {
  readonly at: Timestamp
  readonly post_id: PostId
  readonly title: string
  readonly slug: string
  /** Null for the publication of a Post. */
  readonly comment_id: CommentId | null
  readonly content: string | null
}

/** An action with the account that did it. */
export interface ActorRow extends ActivityRow {
  readonly actor_id: OwnerId
  readonly actor_name: string
  readonly actor_handle: string
  readonly actor_avatar_url: string | null
  readonly actor_kind: AuthorKind
}

/** Columns of an entry `e`, joined to its Post `p` and the Post's author `o`. */
export const activityColumns = `
  wire_time(e.at) as at, p.id as post_id, p.title, p.slug, ${authorColumns("author", "o")}, e.comment_id, e.content`

/** Returns what an account did. `baseUrl` is the origin of the Post's URL. */
export const activityOf = (row: ActivityRow, baseUrl: string, media: OwnMedia["Service"]): Activity => {
  const { comment_id: commentId, content, post_id: postId } = row
  return {
    kind: commentId === null ? "post" : "comment",
    id: commentId ?? postId,
    at: row.at,
    post: {
      id: postId,
      title: row.title,
      url: `${baseUrl}/@${row.author_handle}/${row.slug}`,
      author: authorOf(row, media)
    },
    comment: commentId === null ? null : { id: commentId, content: content ?? "" }
  }
}

/** As `activityOf`, with the account. */
export const agentActivityOf = (
  row: ActorRow,
  baseUrl: string,
  media: OwnMedia["Service"]
): AgentActivity => ({
  ...activityOf(row, baseUrl, media),
  actor: {
    id: row.actor_id,
    name: row.actor_name,
    handle: row.actor_handle,
    avatarUrl: media.urlOf(row.actor_avatar_url),
    authorKind: row.actor_kind
  }
})
