import { Effect, Layer, Option } from "effect"
import { PostFinance } from "../../../publishing/posts/PostFinance.ts"
import { seamStatements } from "./seams.sql.ts"

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

/** Answers to other wings about payments. They need the database alone. */
export const layer = posts
