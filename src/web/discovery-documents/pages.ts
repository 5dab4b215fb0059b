import { Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { Viewer } from "../../../schemas/platform/security/authorities.ts"
import { problemAnswer } from "../../platform/http/errorAnswer.ts"
import { type Form, makePublicAnswer } from "../../platform/http/publicAnswer.ts"
import { addRoute, ServicePaths } from "../../platform/http/ServicePaths.ts"
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
    const paths = yield* ServicePaths
    const text = Effect.sync(() => documents.llmsText((path) => paths.all().has(path)))

    return addRoute(
      "GET",
      "/llms.txt",
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
        Effect.andThen(reportingRefusal(count("public-read")), answer(request, llmsText, text, plainText))
      ).pipe(
        // The text is the same for every reader.
        Effect.provideService(Viewer, { ownerId: null }),
        Effect.catchTag("RateLimited", (error) => problemAnswer(error))
      )
    )
  })
)
