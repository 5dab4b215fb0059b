import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AccountRestricted, IdempotencyConflict, NotFound, Validation } from "../../platform/errors/common.ts"
import { ProblemFamily } from "../../platform/errors/families.ts"
import { inProblems } from "../../platform/errors/inProblems.ts"
import { IdempotencyKey } from "../../platform/IdempotencyKey.ts"
import { ProblemRateLimits, rateLimit } from "../../platform/rate-limits/middleware.ts"
import { OwnerSessionProblem } from "../../platform/security/middleware.ts"
import { AllowedWhileRestricted } from "../../platform/security/restriction.ts"
import { Text } from "../../platform/Text.ts"
import { ApiKey, IssuedKey, KeyAlreadyIssued, KeyLimitReached, KeyRequest } from "./ApiKey.ts"

/** The key id in a path accepts any text; an impossible id is a 404 like an unknown one. */
const params = { keyId: Text }

export class ApiKeysApi extends HttpApiGroup.make("apiKeys")
  .add(
    HttpApiEndpoint.get("list", "/", {
      success: Schema.Struct({ keys: Schema.Array(ApiKey) })
    }).annotateMerge(
      OpenApi.annotations({
        summary: "List Publishing keys",
        description:
          "Returns the owner's active Publishing keys and the newest 100 others, without their secrets."
      })
    ),
    HttpApiEndpoint.post("issue", "/", {
      headers: { "idempotency-key": Schema.optionalKey(IdempotencyKey) },
      payload: KeyRequest,
      success: IssuedKey,
      error: [
        inProblems(AccountRestricted, "account-restricted"),
        inProblems(KeyAlreadyIssued, "key-already-issued"),
        inProblems(KeyLimitReached, "key-limit-reached"),
        inProblems(IdempotencyConflict, "idempotency-conflict"),
        inProblems(Validation, "validation")
      ]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Issue a Publishing key",
        description:
          "Issues a Publishing key that is valid for 90 days unless `expiresAt` says otherwise. The answer shows the secret once."
      })
    ),
    HttpApiEndpoint.post("rotate", "/:keyId/rotate", {
      params,
      payload: KeyRequest,
      success: IssuedKey,
      error: [
        inProblems(AccountRestricted, "account-restricted"),
        inProblems(NotFound, "not-found"),
        inProblems(KeyLimitReached, "key-limit-reached"),
        inProblems(Validation, "validation")
      ]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Replace an active Publishing key",
        description:
          "Replaces an active key: revokes it and issues another. It keeps the label and the expiry unless the request names new ones. The answer shows the new secret once."
      })
    )
  )
  .annotateEndpointsMerge(rateLimit("account"))
  .add(
    // This operation has no limit, because an owner may have to revoke a lost key.
    HttpApiEndpoint.post("revoke", "/:keyId/revoke", {
      params,
      success: ApiKey,
      error: inProblems(NotFound, "not-found")
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Revoke a Publishing key",
          description: "Revokes a key for good. A repeat returns the same metadata."
        })
      )
      .annotate(AllowedWhileRestricted, true)
  )
  .prefix("/api/v1/api-keys")
  .middleware(ProblemRateLimits)
  .middleware(OwnerSessionProblem)
  .middleware(ProblemFamily)
  .annotateMerge(
    OpenApi.annotations({
      title: "Publishing keys",
      description: "Issue, list, revoke and rotate"
    })
  ) {}
