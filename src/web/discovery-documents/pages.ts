import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { Viewer } from "../../../schemas/platform/security/authorities.ts"
import { problemAnswer } from "../../platform/http/errorAnswer.ts"
import { servicePaths } from "../../platform/http/paths.ts"
import { type Form, makePublicAnswer } from "../../platform/http/publicAnswer.ts"
import { limiting, reportingRefusal } from "../../platform/rate-limits/http.ts"
import { DiscoveryDocuments } from "./DiscoveryDocuments.ts"
import { llmsText } from "./publicReads.ts"

const plainText: Form<string> = { contentType: "text/plain; charset=utf-8", textOf: (text) => text }

/** Serves the introduction for agents. */
export const LlmsTextRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const documents = yield* DiscoveryDocuments
    const count = yield* limiting
    const answer = yield* makePublicAnswer
    const text = documents.llmsText((path) => servicePaths.has(path))

    return HttpRouter.add(
      "GET",
      "/llms.txt",
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
        Effect.andThen(
          reportingRefusal(count("public-read")),
          answer(request, llmsText, Effect.succeed(text), plainText)
        )
      ).pipe(
        // The text is the same for every reader.
        Effect.provideService(Viewer, { ownerId: null }),
        Effect.catchTag("RateLimited", (error) => problemAnswer(error))
      )
    )
  })
)
