import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { JsonFamily } from "../../platform/errors/families.ts"
import { JsonRateLimits, rateLimit } from "../../platform/rate-limits/middleware.ts"
import { PublicRead } from "../../platform/security/middleware.ts"
import { Catalogue, CatalogueQuery } from "./Catalogue.ts"
import { PaymentDocument, RailHint } from "./Documents.ts"

/** Documents with which programs discover the service (spec 4.5). */
export class DiscoveryDocumentsApi extends HttpApiGroup.make("documents")
  .add(
    HttpApiEndpoint.get("payments", "/.well-known/x402", { success: PaymentDocument }).annotate(
      OpenApi.Summary,
      "Read what is for sale, and how to pay"
    ),
    HttpApiEndpoint.get("catalogue", "/.well-known/x402/posts", {
      query: CatalogueQuery.fields,
      success: Catalogue
    }).annotate(OpenApi.Summary, "List the Posts that are for sale"),
    HttpApiEndpoint.get("railHint", "/.well-known/railhint.json", { success: RailHint }).annotate(
      OpenApi.Summary,
      "Compare the ways to pay"
    )
  )
  .annotateEndpointsMerge(rateLimit("public-read"))
  .middleware(JsonRateLimits)
  .middleware(PublicRead)
  .middleware(JsonFamily)
  .annotate(HttpApi.QueryParseOptions, { errors: "all" })
  .annotateMerge(
    OpenApi.annotations({
      title: "Discovery documents",
      description: "Documents with which programs discover the service (spec 4.5)"
    })
  ) {}
