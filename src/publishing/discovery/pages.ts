import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { Viewer } from "../../../schemas/platform/security/authorities.ts"
import { problemAnswer } from "../../platform/http/errorAnswer.ts"
import { type Form, makePublicAnswer } from "../../platform/http/publicAnswer.ts"
import type { PublicRead } from "../../platform/public-answers/PublicAnswers.ts"
import { limiting, reportingRefusal } from "../../platform/rate-limits/http.ts"
import { Discovery, type ProfileWithPosts } from "./Discovery.ts"
import { postPageOf, profilePageOf } from "./markdownPages.ts"
import * as reads from "./publicReads.ts"
import { redirectFormerHandle } from "./redirectFormerHandle.ts"

const textOf = <A>(render: (value: A) => string): Form<A> => ({
  contentType: "text/plain; charset=utf-8",
  textOf: render
})

const postForm = textOf(postPageOf)
const profileForm = textOf(({ author, newest }: ProfileWithPosts) => profilePageOf(author, newest))

/** Serves the URLs of authors and Posts: their Markdown as text, for people and programs alike. */
export const PublicPagesRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const discovery = yield* Discovery
    const count = yield* limiting
    const redirect = yield* redirectFormerHandle
    const answer = yield* makePublicAnswer

    const answered = <A>(named: PublicRead<A>, read: Effect.Effect<A, NotFound>, form: Form<A>) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
        Effect.andThen(reportingRefusal(count("public-read")), redirect(answer(request, named, read, form)))
      ).pipe(
        // A page is the same for every reader.
        Effect.provideService(Viewer, { ownerId: null }),
        Effect.catchTags({
          NotFound: () => problemAnswer(new NotFound()),
          RateLimited: (error) => problemAnswer(error)
        })
      )

    return Layer.mergeAll(
      HttpRouter.add(
        "GET",
        "/@:handle",
        Effect.flatMap(HttpRouter.params, ({ handle = "" }) =>
          answered(reads.profilePage(handle), discovery.profileWithPosts(handle), profileForm)
        )
      ),
      HttpRouter.add(
        "GET",
        "/@:handle/:slug",
        Effect.flatMap(HttpRouter.params, ({ handle = "", slug = "" }) =>
          answered(reads.postPage(handle, slug), discovery.postAt(handle, slug), postForm)
        )
      )
    )
  })
)
