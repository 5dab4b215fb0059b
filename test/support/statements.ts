import { Effect, Layer, References, Tracer } from "effect"

/** Runs an effect and returns its statements, with those that begin and commit transactions. */
export const statementsOf = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  const watched = Layer.mergeAll(
    Layer.succeed(Tracer.Tracer, tracer),
    Layer.succeed(References.TracerEnabled, true)
  )
  const answer = yield* Effect.provide(effect, watched)
  const statements = spans.flatMap(({ attributes, name }) => {
    if (name === "sql.transaction") return ["begin", "commit"]
    const text = attributes.get("db.query.text")
    return typeof text === "string" ? [text.trim()] : []
  })
  return { answer, statements }
})
