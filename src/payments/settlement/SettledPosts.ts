import { Effect, Layer, Option } from "effect"
import { PostFinance } from "../../publishing/posts/PostFinance.ts"
import { postFinanceStatements } from "./postFinance.sql.ts"

/** Answers publishing about the payments of a Post. It needs the database alone. */
export const SettledPosts = Layer.effect(
  PostFinance,
  Effect.map(postFinanceStatements, (posts) =>
    PostFinance.of({
      retained: Effect.fn("PostFinance.retained")(function* (post) {
        const { has_history, has_purchases } = yield* posts.retained(post)
        if (has_purchases) return "purchases"
        return has_history ? "history" : null
      }),
      release: posts.removeRefused,
      keepForBuyers: Effect.fn("PostFinance.keepForBuyers")(function* (post, at) {
        yield* posts.removeUnsold(post)
        const kept = yield* posts.keepForBuyers(post, at)
        return Option.isSome(kept) ? kept.value.sha256 : null
      }),
      fileReaders: Effect.fn("PostFinance.fileReaders")(function* (file, at) {
        const { last_at, until } = yield* posts.fileReaders(file, at)
        return last_at === null ? Option.none() : Option.some({ lastAt: last_at, until })
      })
    })
  )
)
