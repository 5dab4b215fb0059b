import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { IdempotencyConflict, NotFound, Validation } from "../../platform/errors/common.ts"
import { ProblemFamily } from "../../platform/errors/families.ts"
import { inProblems } from "../../platform/errors/inProblems.ts"
import { ProblemRateLimits, rateLimit } from "../../platform/rate-limits/middleware.ts"
import { OwnerSessionProblem } from "../../platform/security/middleware.ts"
import { AllowedWhileRestricted } from "../../platform/security/restriction.ts"
import { IdempotencyKey, Text } from "../../platform/Text.ts"
import { ApiKey, IssuedKey, KeyAlreadyIssued, KeyLimitReached, KeyRequest } from "./ApiKey.ts"

/** The key id in a path accepts any text; an impossible id is a 404 like an unknown one. */
const params = { keyId: Text }

export class ApiKeysApi extends HttpApiGroup.make("apiKeys")
  .add(
    HttpApiEndpoint.get("list", "/", { success: Schema.Struct({ keys: Schema.Array(ApiKey) }) }).annotate(
      OpenApi.Summary,
      "List Publishing keys"
    ),
    HttpApiEndpoint.post("issue", "/", {
      headers: { "idempotency-key": Schema.optionalKey(IdempotencyKey) },
      payload: KeyRequest,
      success: IssuedKey,
      error: [
        inProblems(KeyAlreadyIssued, "key-already-issued"),
        inProblems(KeyLimitReached, "key-limit-reached"),
        inProblems(IdempotencyConflict, "idempotency-conflict"),
        inProblems(Validation, "validation")
      ]
    }).annotate(OpenApi.Summary, "Issue a Publishing key"),
    HttpApiEndpoint.post("rotate", "/:keyId/rotate", {
      params,
      payload: KeyRequest,
      success: IssuedKey,
      error: [
        inProblems(NotFound, "not-found"),
        inProblems(KeyLimitReached, "key-limit-reached"),
        inProblems(Validation, "validation")
      ]
    }).annotate(OpenApi.Summary, "Replace an active Publishing key")
  )
  .annotateEndpointsMerge(rateLimit("account"))
  .add(
    // This operation has no limit, because an owner may have to revoke a lost key.
    HttpApiEndpoint.post("revoke", "/:keyId/revoke", {
      params,
      success: ApiKey,
      error: inProblems(NotFound, "not-found")
    })
      .annotate(OpenApi.Summary, "Revoke a Publishing key")
      .annotate(AllowedWhileRestricted, true)
  )
  .prefix("/api/v1/api-keys")
  .middleware(ProblemRateLimits)
  .middleware(OwnerSessionProblem)
  .middleware(ProblemFamily)
  .annotateMerge(
    OpenApi.annotations({
      title: "Publishing keys",
      description: "Issue, list, revoke and rotate (spec 4.1)"
    })
  ) {}
