import type { CountedRows } from "../../platform/counters/audit.sql.ts"

const REACTIONS = ["thumbs_up", "heart", "fire", "clap"] as const

/** The reactions behind each counter. */
export const reactionRows: CountedRows = Object.fromEntries(
  REACTIONS.flatMap((reaction) => [
    [
      `post_${reaction}`,
      `select count(*) from reactions where post_id = s.post_id and reaction = '${reaction}'`
    ],
    [
      `comment_${reaction}`,
      `select count(*) from reactions where comment_id = s.id and reaction = '${reaction}'`
    ]
  ])
)
