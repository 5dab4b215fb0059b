import { Effect } from "effect"
import { recordedSpans } from "./recordedSpans.ts"

/** Runs an effect and returns its statements, with those that begin and commit transactions. */
export const statementsOf = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const { layer, spans } = recordedSpans()
  const answer = yield* Effect.provide(effect, layer)
  const statements = spans.flatMap(({ attributes, name }) => {
    if (name === "sql.transaction") return ["begin", "commit"]
    const text = attributes.get("db.query.text")
    return typeof text === "string" ? [text.trim()] : []
  })
  return { answer, statements }
})
