import { Effect, Layer } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { PublicBaseUrl } from "../../schemas/platform/errors/PublicBaseUrl.ts"
import { Viewer } from "../../schemas/platform/security/authorities.ts"
import { problemAnswer } from "../platform/http/errorAnswer.ts"
import { makePublicAnswer } from "../platform/http/publicAnswer.ts"
import { addRoute, declareRoute } from "../platform/http/ServicePaths.ts"
import { Settings } from "../platform/ports/Settings.ts"
import { caching } from "../platform/public-answers/caching.ts"
import { limiting, reportingRefusal } from "../platform/rate-limits/http.ts"
import { aiCatalog, CATALOG_TYPE, SERVER_CARD_TYPE, serverCard } from "./documents/documents.ts"
import { GUIDE_PATH, guidePage } from "./documents/guide.ts"

/** Serves the documents by which programs find the tool server, and the page by which people install it. */
export const DocumentsRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const count = yield* limiting
    const answer = yield* makePublicAnswer
    const baseUrl = yield* PublicBaseUrl
    const settings = yield* Settings
    const { siteName } = settings

    const served = (path: `/${string}`, contentType: string, document: object) => {
      const form = { contentType, textOf: (value: object) => JSON.stringify(value) }
      return addRoute(
        "GET",
        path,
        Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
          Effect.andThen(
            reportingRefusal(count("public-read")),
            answer(request, { key: path, tags: () => [] }, Effect.succeed(document), form)
          )
        ).pipe(
          // The documents are the same for every reader.
          Effect.provideService(Viewer, { ownerId: null }),
          Effect.catchTag("RateLimited", (error) => problemAnswer(error))
        )
      )
    }

    const guide = HttpServerResponse.text(guidePage(baseUrl, settings), {
      contentType: "text/html; charset=utf-8",
      headers: {
        "content-security-policy":
          "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
        "cache-control": caching.document
      }
    })

    return Layer.mergeAll(
      declareRoute("POST", "/mcp"),
      declareRoute("POST", "/mcp/"),
      addRoute("GET", GUIDE_PATH, guide),
      served("/mcp/server-card", SERVER_CARD_TYPE, serverCard(baseUrl, siteName)),
      served("/.well-known/ai-catalog.json", CATALOG_TYPE, aiCatalog(baseUrl, siteName))
    )
  })
)
