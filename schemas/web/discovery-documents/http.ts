import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { JsonFamily } from "../../platform/errors/families.ts"
import { LinkQuery } from "../../platform/errors/linkQuery.ts"
import { JsonRateLimits, rateLimit } from "../../platform/rate-limits/middleware.ts"
import { PublicRead } from "../../platform/security/middleware.ts"
import { Catalogue, CatalogueQuery } from "./Catalogue.ts"
import { PaymentDocument, RailHint } from "./Documents.ts"

/** Documents with which programs discover the service (spec 4.5). */
export class DiscoveryDocumentsApi extends HttpApiGroup.make("documents")
  .add(
    HttpApiEndpoint.get("payments", "/.well-known/x402", { success: PaymentDocument }).annotateMerge(
      OpenApi.annotations({
        summary: "Read what is for sale, and how to pay",
        description:
          "Names the newest 100 Posts that are for sale, the ledger for their payments, and the other documents. It combines three forms of this document, so programs that read any of them can use it."
      })
    ),
    HttpApiEndpoint.get("catalogue", "/.well-known/x402/posts", {
      query: CatalogueQuery.fields,
      success: Catalogue
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "List the Posts that are for sale",
          description:
            "Lists all Posts that are for sale, newest first, by offset or from the `nextCursor` of the previous page. The terms are advice: the 402 of a Post says what it costs."
        })
      )
      .middleware(LinkQuery),
    HttpApiEndpoint.get("railHint", "/.well-known/railhint.json", { success: RailHint }).annotateMerge(
      OpenApi.annotations({
        summary: "Compare the ways to pay",
        description: "Compares the ways to pay, for agents that can use several. This service has one."
      })
    )
  )
  .annotateEndpointsMerge(rateLimit("public-read"))
  .middleware(JsonRateLimits)
  .middleware(PublicRead)
  .middleware(JsonFamily)
  .annotateMerge(
    OpenApi.annotations({
      title: "Discovery documents",
      description: "Documents with which programs discover the service"
    })
  ) {}
