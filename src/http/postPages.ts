import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { NotFoundProblem } from "../../schemas/errors/common.ts"
import { Discovery } from "../discovery/Discovery.ts"
import { errorAnswer } from "./errorAnswer.ts"
import { asProblem, limiting } from "./rateLimits.ts"

/** The `url` of a Post: its Markdown as text, for people and programs alike. */
export const PostPagesLive = Layer.unwrap(
  Effect.gen(function* () {
    const discovery = yield* Discovery
    const count = yield* limiting
    return HttpRouter.add(
      "GET",
      "/@:handle/:slug",
      Effect.gen(function* () {
        yield* asProblem(count("public-read"))
        const { handle = "", slug = "" } = yield* HttpRouter.params
        const page = yield* discovery.page(handle, slug)
        return HttpServerResponse.text(page, {
          contentType: "text/plain; charset=utf-8",
          headers: { "cache-control": "public, max-age=15" }
        })
      }).pipe(
        Effect.catchTags({
          NotFound: () => errorAnswer(new NotFoundProblem({})),
          RateLimitedProblem: (error) => errorAnswer(error)
        })
      )
    )
  })
)
