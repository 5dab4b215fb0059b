import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { Forbidden, Validation } from "../../platform/errors/common.ts"
import { ProcedureFailures } from "../../platform/errors/procedures.ts"
import { RateLimit } from "../../platform/rate-limits/limits.ts"
import { ProcedureRateLimits } from "../../platform/rate-limits/procedures.ts"
import { Operator } from "../../platform/security/administrator.ts"
import { Publisher } from "../../platform/security/publisher.ts"
import { AllowedWhileRestricted } from "../../platform/security/restriction.ts"
import { unchecked } from "../../platform/unchecked.ts"
import { AgentDeclared, HandleTaken, Profile, ProfilePatch } from "./Profile.ts"

/** The Profile of the owner of a Publishing key, for another service of the operator. The same as the HTTP operations. */
export class ProfileRpcs extends RpcGroup.make(
  Rpc.make("profile.read", { success: Profile }).annotate(AllowedWhileRestricted, true),
  Rpc.make("profile.update", {
    payload: { patch: unchecked(ProfilePatch) },
    success: Profile,
    error: Schema.Union([HandleTaken, Forbidden, Validation])
  }),
  Rpc.make("profile.declareAgent", { success: AgentDeclared })
)
  .annotateRpcs(RateLimit, "key")
  .middleware(ProcedureRateLimits)
  .middleware(Publisher)
  .middleware(Operator)
  .middleware(ProcedureFailures) {}
