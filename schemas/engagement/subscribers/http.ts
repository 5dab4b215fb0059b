import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { NotFound } from "../../platform/errors/common.ts"
import { JsonFamily } from "../../platform/errors/families.ts"
import { inJson } from "../../platform/errors/inJson.ts"
import { SubscriberId } from "../../platform/Ids.ts"
import { JsonRateLimits, rateLimit } from "../../platform/rate-limits/middleware.ts"
import { OwnerSession } from "../../platform/security/middleware.ts"
import { SubscriberPage, SubscribersQuery, SubscriptionAnswer, SubscriptionRequest } from "./Subscriber.ts"

const Csv = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/csv" }))

const unknown = inJson(NotFound, "not_found")

/** Readers ask for the posts of an author by mail, without an account. */
export class SubscriptionsApi extends HttpApiGroup.make("subscriptions")
  .add(
    HttpApiEndpoint.post("subscribe", "/api/profile/:handle/subscriptions", {
      params: { handle: Schema.String },
      payload: SubscriptionRequest,
      success: SubscriptionAnswer,
      error: unknown
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Get the Posts of an author by mail",
        description:
          "Mails a link to the address. Whoever opens it confirms the subscription, within 48 hours. The answer is the same for every address, also for one that is subscribed. A mailbox gets one such mail for an author in a day, and three in all."
      })
    )
  )
  .annotateEndpointsMerge(rateLimit("subscribe"))
  .middleware(JsonRateLimits)
  .middleware(JsonFamily)
  .annotateMerge(
    OpenApi.annotations({ title: "Subscriptions", description: "Posts by mail, without an account" })
  ) {}

/** The list of readers who get the Posts of an owner by mail. It is the owner's alone. */
export class SubscribersApi extends HttpApiGroup.make("subscribers")
  .add(
    HttpApiEndpoint.get("list", "/", { query: SubscribersQuery.fields, success: SubscriberPage })
      .annotateMerge(
        OpenApi.annotations({
          summary: "List your readers by mail",
          description:
            "Lists the readers who get the owner's Posts by mail, newest first, with their addresses. `state` keeps those in one state. Requests that were not confirmed go after 48 hours, and ended subscriptions after 30 days."
        })
      )
      .annotateMerge(rateLimit("account")),
    HttpApiEndpoint.get("export", "/export.csv", { success: Csv })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Export your readers by mail as CSV",
          description:
            "Returns all readers as CSV, newest first. A quote mark precedes cells that spreadsheet programs would run as formulas."
        })
      )
      .annotateMerge(rateLimit("exports")),
    HttpApiEndpoint.delete("remove", "/:subscriberId", {
      params: { subscriberId: SubscriberId },
      success: HttpApiSchema.NoContent,
      error: unknown
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Remove a reader",
          description: "Ends the subscription of a reader, who gets no notice. A repeat changes nothing."
        })
      )
      .annotateMerge(rateLimit("account"))
  )
  .prefix("/api/v1/subscribers")
  .middleware(JsonRateLimits)
  .middleware(OwnerSession)
  .middleware(JsonFamily)
  .annotateMerge(
    OpenApi.annotations({
      title: "Subscribers",
      description: "The readers who get the Posts of an owner by mail"
    })
  ) {}
