import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { limiting } from "../../platform/rate-limits/http.ts"
import { Posts } from "../../publishing/posts/Posts.ts"
import { postIdOf } from "../browser/postIdOf.ts"
import { makePictures } from "../pages/pictures.ts"
import { makeAsPublisher } from "../website-key/http.ts"
import { makeRendering } from "../write/rendering.ts"
import { previewPath } from "../write/writePage.ts"
import { previewPage } from "./previewPage.ts"

/** Serves a post to its author as readers will see it. */
export const PreviewRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const posts = yield* Posts
    const rendering = yield* makeRendering
    const { pictured } = yield* makePictures
    const count = yield* limiting
    const { publisherAt } = yield* makeAsPublisher
    const { answering, page } = yield* makePrivatePages

    const show = Effect.gen(function* () {
      yield* count("public-read")
      const id = yield* postIdOf
      const path = previewPath(id)
      return yield* publisherAt(
        path,
        Effect.fnUntraced(function* (publisher) {
          const post = yield* posts.read(publisher, id)
          const rendered = Effect.fnUntraced(function* (source: string | null) {
            const text = yield* rendering(publisher.ownerId, post, source)
            return text === null ? null : yield* pictured(id, text)
          })
          const free = yield* rendered(post.freeContentMarkdown)
          return page(previewPage({ post, free, paid: yield* rendered(post.paidContentMarkdown) }))
        })
      )
    })

    return HttpRouter.add("GET", "/write/:postId/preview", answering(show))
  })
)
