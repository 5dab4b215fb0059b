import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import { Profiles } from "../../accounts/profile/Profiles.ts"
import { problemAnswer } from "../../platform/http/errorAnswer.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { isKnown } from "../../platform/http/representation.ts"
import { addPrivatePage, addRoute } from "../../platform/http/ServicePaths.ts"
import { caching } from "../../platform/public-answers/caching.ts"
import { limiting, reportingRefusal } from "../../platform/rate-limits/http.ts"
import { Posts } from "../../publishing/posts/Posts.ts"
import { postIdOf } from "../browser/postIdOf.ts"
import { titleText } from "../pages/parts/values.ts"
import { makeAsPublisher } from "../website-key/http.ts"
import { draftCardPath, makeCardName } from "./cardNames.ts"
import { makeCardPictures } from "./cardPictures.ts"

const PNG = "image/png"

/** Caches learn of a withdrawn post after five minutes. The address changes with the words. */
const CACHING = caching.read(300)

/** Serves the pictures of shared links: those of public posts to everyone, and that of a draft to its author. */
export const CardRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const { fileOf, ofPublic } = yield* makeCardPictures
    const posts = yield* Posts
    const profiles = yield* Profiles
    const cardName = yield* makeCardName
    const count = yield* limiting
    const { shownAt } = yield* makeAsPublisher
    const { answering, headers } = yield* makePrivatePages

    const publicCard = Effect.fnUntraced(function* (id: PostId, file: string) {
      const card = yield* ofPublic(id)
      // The post was changed since its page was read.
      if (file !== `${card.version}.png`)
        return HttpServerResponse.empty({
          status: 302,
          headers: { location: card.path, "cache-control": caching.vacant }
        })
      const etag = `"${card.version}"`
      const common = { etag, "cache-control": CACHING, "cross-origin-resource-policy": "cross-origin" }
      const request = yield* HttpServerRequest.HttpServerRequest
      if (isKnown(request.headers["if-none-match"], etag))
        return HttpServerResponse.empty({ status: 304, headers: common })
      return HttpServerResponse.uint8Array(yield* fileOf(card), { contentType: PNG, headers: common })
    })

    const shown = Effect.gen(function* () {
      yield* reportingRefusal(count("public-read"))
      const { file = "" } = yield* HttpRouter.params
      return yield* publicCard(yield* postIdOf, file)
    }).pipe(
      Effect.catchTags({
        NotFound: () => problemAnswer(new NotFound()),
        RateLimited: (error) => problemAnswer(error)
      })
    )

    const shownToAuthor = Effect.gen(function* () {
      const id = yield* postIdOf
      return yield* shownAt(
        draftCardPath(id),
        Effect.fnUntraced(function* (publisher, owner) {
          const { ogTitle, title } = yield* posts.read(publisher, id)
          const { handle, name } = yield* profiles.own(owner)
          const card = cardName(id, { title: titleText(ogTitle ?? title), name, handle })
          return HttpServerResponse.uint8Array(yield* fileOf(card), { contentType: PNG, headers })
        })
      )
    })

    return Layer.mergeAll(
      addRoute("GET", "/cards/:postId/:file", shown),
      addPrivatePage("GET", "/write/:postId/card.png", answering(shownToAuthor))
    )
  })
)
