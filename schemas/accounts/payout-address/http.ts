import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { RevisionConflict, Validation } from "../../platform/errors/common.ts"
import { ProblemFamily } from "../../platform/errors/families.ts"
import { inProblems } from "../../platform/errors/inProblems.ts"
import { ProblemRateLimits, rateLimit } from "../../platform/rate-limits/middleware.ts"
import { OwnerSessionProblem } from "../../platform/security/middleware.ts"
import { PayoutAddress, PayoutAddressRequest, SavedPayoutAddress } from "./PayoutAddress.ts"

/** The receiving address of the owner who calls; a Publishing key cannot see or change it (spec 5.1). */
export class PayoutAddressApi extends HttpApiGroup.make("payoutAddress")
  .add(
    HttpApiEndpoint.get("read", "/", { success: PayoutAddress }).annotateMerge(
      OpenApi.annotations({
        summary: "Read the payout address",
        description: "Returns the address that receives Nano, and its revision."
      })
    ),
    HttpApiEndpoint.put("save", "/", {
      payload: PayoutAddressRequest,
      success: SavedPayoutAddress,
      error: [inProblems(RevisionConflict, "revision-conflict"), inProblems(Validation, "validation")]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Save the payout address",
        description:
          "Saves the address that receives Nano. With `revision`, it fails if the address has changed since the caller read it."
      })
    )
  )
  .prefix("/api/v1/profile/payout-address")
  .annotateEndpointsMerge(rateLimit("account"))
  .middleware(ProblemRateLimits)
  .middleware(OwnerSessionProblem)
  .middleware(ProblemFamily)
  .annotateMerge(
    OpenApi.annotations({
      title: "Payout address",
      description: "Where the owner receives Nano"
    })
  ) {}
