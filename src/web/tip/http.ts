import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { limiting } from "../../platform/rate-limits/http.ts"
import { Discovery } from "../../publishing/discovery/Discovery.ts"
import { tipPage } from "./tipPage.ts"
import { makeTipTargetOf } from "./tipTargetOf.ts"

/** Serves the page on which a reader chooses a tip: `?post=<id>`, `?comment=<id>` or `?handle=<handle>`. */
export const TipRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const discovery = yield* Discovery
    const count = yield* limiting
    const targetOf = yield* makeTipTargetOf
    const { answering, page, query } = yield* makePrivatePages

    const show = Effect.gen(function* () {
      yield* count("public-read")
      const { handle, of } = yield* targetOf(yield* query)
      const author = yield* discovery.profileSummary(handle)
      return page(
        tipPage({
          name: author.name,
          handle: author.handle,
          label: author.tipping.button_label,
          amounts: author.tipping.amounts,
          of
        })
      )
    })

    return HttpRouter.add("GET", "/tip", answering(show))
  })
)
