import { Effect, Layer, Option, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { PostId } from "../../../schemas/platform/Ids.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { limiting } from "../../platform/rate-limits/http.ts"
import { Discovery } from "../../publishing/discovery/Discovery.ts"
import { tipPage } from "./tipPage.ts"

const decodePostId = Schema.decodeUnknownOption(PostId)

/** Serves the page on which a reader chooses a tip: `?post=<id>` or `?handle=<handle>`. */
export const TipRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const discovery = yield* Discovery
    const count = yield* limiting
    const { answering, page, query: asked } = yield* makePrivatePages

    const show = Effect.gen(function* () {
      yield* count("public-read")
      const query = yield* asked
      const id = decodePostId(query.get("post"))
      const post = Option.isNone(id) ? null : yield* discovery.post(id.value)
      const handle = post?.author.handle ?? query.get("handle") ?? ""
      const author = yield* discovery.profileSummary(handle)
      return page(
        tipPage({
          name: author.name,
          handle: author.handle,
          label: author.tipping.button_label,
          amounts: author.tipping.amounts,
          post
        })
      )
    })

    return HttpRouter.add("GET", "/tip", answering(show))
  })
)
