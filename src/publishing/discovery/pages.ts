import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { problemAnswer } from "../../platform/http/errorAnswer.ts"
import { limiting, reportingRefusal } from "../../platform/rate-limits/http.ts"
import { Discovery } from "./Discovery.ts"
import { redirectFormerHandle } from "./redirectFormerHandle.ts"

const text = (page: string) =>
  HttpServerResponse.text(page, {
    contentType: "text/plain; charset=utf-8",
    headers: { "cache-control": "public, max-age=15" }
  })

/** Serves the URLs of authors and Posts: their Markdown as text, for people and programs alike. */
export const PublicPagesRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const discovery = yield* Discovery
    const count = yield* limiting
    const redirect = yield* redirectFormerHandle

    const answered = (page: Effect.Effect<string, NotFound>) =>
      Effect.andThen(reportingRefusal(count("public-read")), redirect(Effect.map(page, text))).pipe(
        Effect.catchTags({
          NotFound: () => problemAnswer(new NotFound()),
          RateLimited: (error) => problemAnswer(error)
        })
      )

    return Layer.mergeAll(
      HttpRouter.add(
        "GET",
        "/@:handle",
        Effect.flatMap(HttpRouter.params, ({ handle = "" }) => answered(discovery.profilePage(handle)))
      ),
      HttpRouter.add(
        "GET",
        "/@:handle/:slug",
        Effect.flatMap(HttpRouter.params, ({ handle = "", slug = "" }) =>
          answered(discovery.page(handle, slug))
        )
      )
    )
  })
)
