import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { bodyKibibytesMax } from "../../platform/BodyBytesMax.ts"
import { Forbidden, NotFound } from "../../platform/errors/common.ts"
import { JsonFamily } from "../../platform/errors/families.ts"
import { inJson } from "../../platform/errors/inJson.ts"
import { JsonRateLimits, rateLimit } from "../../platform/rate-limits/middleware.ts"
import { OwnerSession } from "../../platform/security/middleware.ts"
import { IMPORT_KIBIBYTES_MAX, NewSubscriberImport, SubscriberImport } from "./SubscriberImport.ts"

/** Lists of readers that an owner brings from elsewhere. */
export class SubscriberImportsApi extends HttpApiGroup.make("subscriberImports")
  .add(
    HttpApiEndpoint.post("add", "/api/v1/subscribers/imports", {
      payload: NewSubscriberImport,
      success: SubscriberImport,
      error: [inJson(Forbidden, "forbidden"), inJson(NotFound, "not_found")]
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Bring a list of readers",
          description:
            "Takes a list of at most 10,000 readers as CSV. It has the columns of Substack, Ghost, Buttondown or Mailchimp, or one address on each line. Each new reader gets one mail to confirm, at most 500 a day for an author. Readers who left, bounced or complained stay away. An owner brings one list an hour. A new account needs a verified address, a follower or a sale."
        })
      )
      .annotateMerge(bodyKibibytesMax(IMPORT_KIBIBYTES_MAX))
  )
  .annotateEndpointsMerge(rateLimit("account"))
  .middleware(JsonRateLimits)
  .middleware(OwnerSession)
  .middleware(JsonFamily)
  .annotateMerge(
    OpenApi.annotations({
      title: "Imports of subscribers",
      description: "Readers by mail whom an owner brings from elsewhere"
    })
  ) {}
