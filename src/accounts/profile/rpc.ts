import { Effect } from "effect"
import { ProfilePatch } from "../../../schemas/accounts/profile/Profile.ts"
import { ProfileRpcs } from "../../../schemas/accounts/profile/rpc.ts"
import { CurrentPublisher } from "../../../schemas/platform/security/authorities.ts"
import { checked } from "../../platform/http/checked.ts"
import { Profiles } from "./Profiles.ts"

const checkedPatch = checked(ProfilePatch)

/** Handlers of the procedures for the own Profile. */
export const ProfileRpc = ProfileRpcs.toLayer(
  Effect.gen(function* () {
    const profiles = yield* Profiles

    return ProfileRpcs.of({
      "profile.read": Effect.fnUntraced(function* () {
        return yield* profiles.read(yield* CurrentPublisher)
      }),
      "profile.update": Effect.fnUntraced(function* ({ patch }) {
        return yield* profiles.update(yield* CurrentPublisher, yield* checkedPatch(patch))
      }),
      "profile.declareAgent": Effect.fnUntraced(function* () {
        return yield* profiles.declareAgent(yield* CurrentPublisher)
      })
    })
  })
)
