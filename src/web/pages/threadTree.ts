import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { xnoOfRaw } from "../../../schemas/platform/Nano.ts"
import { authorOf } from "../../accounts/owners/authorRow.ts"
import type { ThreadRow } from "../../engagement/comments/threads.sql.ts"
import type { OwnMedia } from "../../platform/media/OwnMedia.ts"
import type { CommentView } from "./parts/views.ts"

const viewOf = (
  row: ThreadRow,
  buyers: ReadonlySet<OwnerId>,
  media: OwnMedia["Service"],
  replies: ReadonlyArray<CommentView>,
  moreReplies: number
): CommentView => ({
  id: row.id,
  author: authorOf(row, media),
  content: row.content,
  createdAt: row.created_at,
  hasPurchased: buyers.has(row.author_id),
  isByAuthor: row.author_id === row.post_owner_id,
  reactions: { thumbs_up: row.thumbs_up, heart: row.heart, fire: row.fire, clap: row.clap },
  tipXno: row.tip_raw === "0" ? null : xnoOfRaw(BigInt(row.tip_raw)),
  replies,
  moreReplies
})

/**
 * Returns threads with their replies below the Comments that they answer. A reply whose parent is not shown is placed
 * below the root, so that each Comment of the rows is in the tree once.
 */
export const threadTree = (
  rows: ReadonlyArray<ThreadRow>,
  buyers: ReadonlySet<OwnerId>,
  media: OwnMedia["Service"]
): ReadonlyArray<CommentView> => {
  const shown = new Set(rows.map(({ id }) => id))
  const children = new Map<string, Array<ThreadRow>>()
  const sizes = new Map<string, number>()
  for (const row of rows) {
    sizes.set(row.thread_root_id, (sizes.get(row.thread_root_id) ?? 0) + 1)
    if (row.id === row.thread_root_id) continue
    const { parent_comment_id: parent } = row
    const above = parent !== null && shown.has(parent) ? parent : row.thread_root_id
    children.set(above, [...(children.get(above) ?? []), row])
  }
  const branch = (row: ThreadRow): CommentView => {
    const isRoot = row.id === row.thread_root_id
    const more = isRoot ? row.thread_size - (sizes.get(row.id) ?? 0) : 0
    return viewOf(row, buyers, media, (children.get(row.id) ?? []).map(branch), more)
  }
  return rows.filter(({ id, thread_root_id }) => id === thread_root_id).map(branch)
}
