import { Layer, References, Tracer } from "effect"

/** Records the spans of everything that gets this layer, in the order in which they begin. */
export const recordedSpans = () => {
  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  const layer = Layer.mergeAll(
    Layer.succeed(Tracer.Tracer, tracer),
    Layer.succeed(References.TracerEnabled, true)
  )
  return { layer, spans }
}
