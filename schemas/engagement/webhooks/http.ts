import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AccountRestricted, IdempotencyConflict, NotFound, Validation } from "../../platform/errors/common.ts"
import { ProblemFamily } from "../../platform/errors/families.ts"
import { inProblems } from "../../platform/errors/inProblems.ts"
import { IdempotencyKey } from "../../platform/IdempotencyKey.ts"
import { WebhookDeliveryId, WebhookId } from "../../platform/Ids.ts"
import { ProblemRateLimits, rateLimit } from "../../platform/rate-limits/middleware.ts"
import { OwnerSessionProblem } from "../../platform/security/middleware.ts"
import { AllowedWhileRestricted } from "../../platform/security/restriction.ts"
import {
  DeliveriesQuery,
  Delivery,
  DeliveryPage,
  DeliveryWithLog,
  Redelivery,
  RedeliveryRequest,
  TestRequest
} from "./Delivery.ts"
import { WebhookDisabled, WebhookLimitReached } from "./errors.ts"
import {
  SecretRequest,
  Webhook,
  WebhookChange,
  WebhookList,
  WebhookRequest,
  WEBHOOKS_MAX,
  WebhookWithSecret
} from "./Webhook.ts"

const params = { webhookId: WebhookId }
const ofDelivery = { ...params, deliveryId: WebhookDeliveryId }

const restricted = inProblems(AccountRestricted, "account-restricted")
const notFound = inProblems(NotFound, "not-found")
const invalid = inProblems(Validation, "validation")
const disabled = inProblems(WebhookDisabled, "webhook-disabled")

/** Present on the answer of a repeated request that changed nothing. */
const replayed = { "x-idempotency-replay": Schema.optionalKey(Schema.Literal("true")) }

const accepted = Delivery.pipe(HttpApiSchema.status(202))

/** Webhooks: servers that an owner wants to be told of events. Their deliveries are Standard Webhooks. */
export class WebhooksApi extends HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.get("list", "/", { success: WebhookList }).annotateMerge(
      OpenApi.annotations({
        summary: "List your webhooks",
        description: "Returns the webhooks of the owner, oldest first, without their secrets."
      })
    ),
    HttpApiEndpoint.post("create", "/", {
      headers: { "idempotency-key": Schema.optionalKey(IdempotencyKey) },
      payload: WebhookRequest,
      success: HttpApiSchema.WithHeaders(WebhookWithSecret, replayed),
      error: [
        restricted,
        inProblems(WebhookLimitReached, "webhook-limit-reached"),
        inProblems(IdempotencyConflict, "idempotency-conflict"),
        invalid
      ]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Create a webhook",
        description: `Registers an https URL that gets events of the owner, signed as Standard Webhooks. Save the secret. A repeat with the same Idempotency-Key within 24 hours is the same answer. An owner has at most ${WEBHOOKS_MAX} webhooks. The host must have public addresses alone.`
      })
    ),
    HttpApiEndpoint.get("read", "/:webhookId", { params, success: Webhook, error: notFound }).annotateMerge(
      OpenApi.annotations({ summary: "Read a webhook", description: "Returns a webhook and how it fares." })
    ),
    HttpApiEndpoint.patch("change", "/:webhookId", {
      params,
      payload: WebhookChange,
      success: Webhook,
      error: [restricted, notFound, invalid]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Change a webhook",
        description:
          "Changes the members that the request names. `enabled: true` turns on a webhook that was turned off or failed, and what waited is due."
      })
    ),
    HttpApiEndpoint.delete("remove", "/:webhookId", { params, success: HttpApiSchema.NoContent })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Delete a webhook",
          description:
            "Deletes a webhook with its log. A request on its way may still arrive. Safe to repeat."
        })
      )
      .annotate(AllowedWhileRestricted, true),
    HttpApiEndpoint.post("rotateSecret", "/:webhookId/secrets", {
      params,
      payload: SecretRequest,
      success: WebhookWithSecret,
      error: [restricted, notFound, invalid]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Make a new secret",
        description:
          "Makes a secret that signs from now on. The present one signs too, as long as `keepSeconds` says. Any older one ends."
      })
    ),
    HttpApiEndpoint.get("deliveries", "/:webhookId/deliveries", {
      params,
      query: DeliveriesQuery.fields,
      success: DeliveryPage,
      error: [notFound, invalid]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "List deliveries of a webhook",
        description:
          "Lists deliveries of the last 30 days, newest first. `since` is the time of their events. A page of a filter may have few, or none: follow `nextCursor` until it is null."
      })
    ),
    HttpApiEndpoint.get("delivery", "/:webhookId/deliveries/:deliveryId", {
      params: ofDelivery,
      success: DeliveryWithLog,
      error: notFound
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Read a delivery",
        description: "Returns a delivery with its body and its last 12 attempts."
      })
    )
  )
  .annotateEndpointsMerge(rateLimit("account"))
  .add(
    HttpApiEndpoint.post("test", "/:webhookId/test", {
      params,
      payload: TestRequest,
      success: accepted,
      error: [restricted, notFound, disabled]
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Send a test",
          description:
            "Sends a `webhook.test` with an example of the type. The answer is the delivery: read it again to see how it went."
        })
      )
      .annotateMerge(rateLimit("webhook-test")),
    HttpApiEndpoint.post("redeliverOne", "/:webhookId/deliveries/:deliveryId/redeliver", {
      params: ofDelivery,
      success: accepted,
      error: [restricted, notFound, disabled]
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Send a delivery again",
          description:
            "Makes a delivery due, with the same id and body, also one that arrived. Its schedule begins again."
        })
      )
      .annotateMerge(rateLimit("webhook-redeliver")),
    HttpApiEndpoint.post("redeliver", "/:webhookId/redeliver", {
      params,
      payload: RedeliveryRequest,
      success: Redelivery.pipe(HttpApiSchema.status(202)),
      error: [restricted, notFound, disabled, invalid]
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Send what was missed",
          description:
            "Makes events of a time due that the webhook did not get, also while it was off. At most 10,000 events."
        })
      )
      .annotateMerge(rateLimit("webhook-redeliver"))
  )
  .prefix("/api/v1/webhooks")
  .middleware(ProblemRateLimits)
  .middleware(OwnerSessionProblem)
  .middleware(ProblemFamily)
  .annotateMerge(
    OpenApi.annotations({
      title: "Webhooks",
      description: "Servers that get events of an owner, signed, with a log of deliveries"
    })
  ) {}
