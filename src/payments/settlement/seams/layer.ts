import { Effect, Layer, Option } from "effect"
import type { TipActivity } from "../../../../schemas/engagement/tips/Tip.ts"
import { Tips } from "../../../platform/tips/Tips.ts"
import { PostFinance } from "../../../publishing/posts/PostFinance.ts"
import { seamStatements, type SupporterRow } from "./seams.sql.ts"

const supporterOf = ({
  author_kind,
  avatar_url,
  handle,
  name,
  supporter_id
}: SupporterRow): TipActivity["supporter"] =>
  supporter_id === null || name === null || handle === null || author_kind === null
    ? null
    : { id: supporter_id, name, handle, avatarUrl: avatar_url, authorKind: author_kind }

const posts = Layer.effect(
  PostFinance,
  Effect.map(seamStatements, (repo) => ({
    retained: Effect.fn("PostFinance.retained")(function* (post) {
      const { has_history, has_purchases } = yield* repo.retained(post)
      if (has_purchases) return "purchases"
      return has_history ? "history" : null
    }),
    release: repo.removeRefused,
    fileReaders: Effect.fn("PostFinance.fileReaders")(function* (file, at) {
      const { last_at, until } = yield* repo.fileReaders(file, at)
      return last_at === null ? Option.none() : Option.some({ lastAt: last_at, until })
    })
  }))
)

const tips = Layer.effect(
  Tips,
  Effect.map(seamStatements, (repo) => ({
    activities: Effect.fn("Tips.activities")(function* (post, limit) {
      return (yield* repo.activities(post, limit)).map((row) => ({
        id: row.id,
        createdAt: row.created_at,
        amountReceivedRaw: row.amount_raw,
        commentId: row.comment_id,
        supporter: supporterOf(row)
      }))
    }),
    supporters: Effect.fn("Tips.supporters")(function* (comment, limit) {
      return (yield* repo.supporters(comment, limit)).map((row) => ({
        supporter: supporterOf(row),
        tipAmountRaw: row.amount_raw
      }))
    })
  }))
)

/** Answers to other wings about payments. They need the database alone. */
export const layer = Layer.mergeAll(posts, tips)
