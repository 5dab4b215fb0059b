import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { JsonFamily } from "../../platform/errors/families.ts"
import { JsonRateLimits, rateLimit } from "../../platform/rate-limits/middleware.ts"
import { OwnerSession } from "../../platform/security/middleware.ts"

const Zip = Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array({ contentType: "application/zip" }))

/** Everything about an account, for its owner. A restricted account downloads it, too. */
export class AccountExportApi extends HttpApiGroup.make("accountExport")
  .add(
    HttpApiEndpoint.get("download", "/api/v1/account/export", { success: Zip }).annotateMerge(
      OpenApi.annotations({
        summary: "Download everything",
        description:
          "Returns a ZIP with all your Posts as Markdown, pictures, files and finances, and everything else in `account.json`. Hugo, Jekyll and Astro build a site from it. Begin a broken download again."
      })
    )
  )
  .annotateEndpointsMerge(rateLimit("exports"))
  .middleware(JsonRateLimits)
  .middleware(OwnerSession)
  .middleware(JsonFamily)
  .annotateMerge(
    OpenApi.annotations({
      title: "Account export",
      description: "Everything about an account in one archive"
    })
  ) {}
