import type { Array } from "effect"
import type { AuthorKind } from "../../../schemas/accounts/profile/Profile.ts"
import type { Reaction, ReactionSummary } from "../../../schemas/engagement/reactions/Reaction.ts"
import {
  REACTORS_DEFAULT,
  type ReactorQuery,
  type Reactors
} from "../../../schemas/engagement/reactions/Reactors.ts"
import type { OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import type { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import type { OwnMedia } from "../../platform/media/OwnMedia.ts"

/** The exact counts of one target, and the reaction of the viewer. */
interface SummaryRow {
  readonly post_id: PostId
  readonly thumbs_up: number
  readonly heart: number
  readonly fire: number
  readonly clap: number
  readonly viewer_reaction: Reaction | null
}

/** An owner with the requested reaction; without a name for a restricted account. */
interface ReactorRow {
  readonly owner_id: OwnerId
  readonly name: string | null
  readonly handle: string
  readonly avatar_url: string | null
  readonly author_kind: AuthorKind
  readonly reacted_at: Timestamp
}

/** A reactor with the summary; without reactors, one row has only the summary. */
export type ReactorsRow = SummaryRow & (ReactorRow | { readonly owner_id: null })

const summaryOf = ({ clap, fire, heart, thumbs_up, viewer_reaction }: SummaryRow): ReactionSummary => ({
  counts: { thumbs_up, heart, fire, clap },
  total: thumbs_up + heart + fire + clap,
  viewerReaction: viewer_reaction
})

const isReactor = (row: ReactorsRow): row is SummaryRow & ReactorRow => row.owner_id !== null

/** Returns the answer to a query. The rows have one reactor more than its page when there are more. */
export const reactorsOf = (
  rows: Array.NonEmptyReadonlyArray<ReactorsRow>,
  { limit = REACTORS_DEFAULT, offset = 0, reaction }: ReactorQuery,
  { urlOf }: OwnMedia["Service"]
): Reactors => {
  const summary = summaryOf(rows[0])
  if (reaction === undefined) return { summary, reaction: null, reactors: [], pagination: null }
  const found = rows.filter(isReactor)
  return {
    summary,
    reaction,
    reactors: found.slice(0, limit).flatMap(({ name, ...row }) =>
      name === null
        ? []
        : {
            profile: {
              id: row.owner_id,
              name,
              handle: row.handle,
              avatarUrl: urlOf(row.avatar_url),
              authorKind: row.author_kind
            },
            reaction,
            reactedAt: row.reacted_at
          }
    ),
    pagination: { limit, offset, hasMore: found.length > limit }
  }
}
