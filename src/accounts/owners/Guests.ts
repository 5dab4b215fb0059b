import { Context, Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { ProfileName } from "../../../schemas/accounts/profile/Profile.ts"
import { OwnerId } from "../../../schemas/platform/Ids.ts"
import { GuestAuthority } from "../../../schemas/platform/security/authorities.ts"
import { now } from "../../platform/time/now.ts"
import { Owners } from "./Owners.ts"
import { OwnersRepo } from "./OwnersRepo.ts"

/** The account does not exist, or its owner signs in without help. */
export class NotAGuest extends Schema.TaggedError<NotAGuest>()("NotAGuest", { ownerId: OwnerId }) {}

/**
 * Accounts that other services create through the library. A guest cannot sign in. Guests may hold Publishing keys
 * and change their name, and keep their generated handle (spec 4.2.7, 5.8).
 */
export class Guests extends Context.Service<
  Guests,
  {
    /**
     * Creates a guest, under the reserved name unless `name` gives another of 1 to 50 characters. `ApiKeys` issues keys
     * to the returned authority. Fails with the schema's own error when the name breaks the rules of spec 2.3.
     */
    readonly createGuest: (options?: {
      readonly name?: string
    }) => Effect.Effect<GuestAuthority, Schema.SchemaError>
    /** Returns the authority over an existing guest. */
    readonly guest: (id: OwnerId) => Effect.Effect<GuestAuthority, NotAGuest>
  }
>()("pennypress/accounts/owners/Guests") {
  static readonly layer = Layer.effect(
    Guests,
    Effect.gen(function* () {
      const repo = yield* OwnersRepo
      const owners = yield* Owners
      const random = yield* SecureRandom.SecureRandom

      return Guests.of({
        createGuest: Effect.fn("Guests.createGuest")(function* (options = {}) {
          const profile = yield* owners.startingProfile
          const name =
            options.name === undefined ? profile.name : yield* Schema.decodeEffect(ProfileName)(options.name)
          const id = OwnerId.make(yield* random.uuidV7())
          const isNew = yield* repo.insert({
            ...profile,
            id,
            kind: "guest",
            name,
            email: null,
            at: yield* now
          })
          if (!isNew) return yield* Effect.die(new Error("A generated handle met an existing one"))
          return GuestAuthority.make({ ownerId: id })
        }),

        guest: Effect.fn("Guests.guest")(function* (ownerId) {
          if (!(yield* repo.isGuest(ownerId))) return yield* new NotAGuest({ ownerId })
          return GuestAuthority.make({ ownerId })
        })
      })
    })
  )
}
