import { Context, Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { Handle, HandleTaken, ProfileName } from "../../../schemas/accounts/profile/Profile.ts"
import { OwnerId } from "../../../schemas/platform/Ids.ts"
import { GuestAuthority } from "../../../schemas/platform/security/authorities.ts"
import { now } from "../../platform/time/now.ts"
import { RetiredHandles } from "../retired-handles/RetiredHandles.ts"
import { ownerStatements } from "./owners.sql.ts"
import { Owners } from "./Owners.ts"

/** The account does not exist, or is not a guest: its owner signs in. */
export class NotAGuest extends Schema.TaggedError<NotAGuest>()("NotAGuest", { ownerId: OwnerId }) {}

/**
 * Accounts that other services create through the library. A guest cannot sign in. Guests may hold Publishing keys
 * and change their name, and keep the handle that they were created with (spec 4.2.7, 5.8).
 */
export class Guests extends Context.Service<
  Guests,
  {
    /**
     * Creates a guest, under the reserved name and a generated handle unless `name` and `handle` give others. `ApiKeys`
     * issues keys to the returned authority. To publish, a guest needs both, and a payout address. Fails with the
     * schema's own error when the name or the handle breaks the rules of spec 2.3, and with `HandleTaken` when another
     * account has the handle in any case.
     */
    readonly createGuest: (options?: {
      readonly name?: string
      readonly handle?: string
    }) => Effect.Effect<GuestAuthority, Schema.SchemaError | HandleTaken>
    /** Returns the authority over an existing guest. */
    readonly guest: (id: OwnerId) => Effect.Effect<GuestAuthority, NotAGuest>
  }
>()("pennypress/accounts/owners/Guests") {
  static readonly layer = Layer.effect(
    Guests,
    Effect.gen(function* () {
      const accounts = yield* ownerStatements
      const owners = yield* Owners
      const random = yield* SecureRandom.SecureRandom
      const retiredHandles = yield* RetiredHandles

      return Guests.of({
        createGuest: Effect.fn("Guests.createGuest")(function* (options = {}) {
          const profile = yield* owners.startingProfile
          const name =
            options.name === undefined ? profile.name : yield* Schema.decodeEffect(ProfileName)(options.name)
          const handle =
            options.handle === undefined ? profile.handle : yield* Schema.decodeEffect(Handle)(options.handle)
          if (options.handle !== undefined && (yield* retiredHandles.isRetired(handle)))
            return yield* new HandleTaken({})
          const id = OwnerId.make(yield* random.uuidV7())
          const isNew = yield* accounts.insert({
            ...profile,
            id,
            kind: "guest",
            name,
            handle,
            email: null,
            at: yield* now
          })
          if (!isNew && options.handle !== undefined) return yield* new HandleTaken({})
          if (!isNew) return yield* Effect.die(new Error("A generated handle met an existing one"))
          return GuestAuthority.make({ ownerId: id })
        }),

        guest: Effect.fn("Guests.guest")(function* (ownerId) {
          if (!(yield* accounts.isGuest(ownerId))) return yield* new NotAGuest({ ownerId })
          return GuestAuthority.make({ ownerId })
        })
      })
    })
  )
}
