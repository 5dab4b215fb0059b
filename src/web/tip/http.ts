import { Effect, Layer } from "effect"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { addPrivatePage } from "../../platform/http/ServicePaths.ts"
import { limiting } from "../../platform/rate-limits/http.ts"
import { makeTipPageOf } from "./tipPageOf.ts"

/** Serves the page on which a reader chooses a tip: `?post=<id>`, `?comment=<id>` or `?handle=<handle>`. */
export const TipRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const count = yield* limiting
    const tipPageOf = yield* makeTipPageOf
    const { answering, page, query } = yield* makePrivatePages

    const show = Effect.gen(function* () {
      yield* count("public-read")
      return page(yield* tipPageOf(yield* query))
    })

    return addPrivatePage("GET", "/tip", answering(show))
  })
)
