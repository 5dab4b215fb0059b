import { Layer } from "effect"
import { Guests } from "./Guests.ts"
import { OwnerPayouts } from "./OwnerPayouts.ts"
import { OwnerProfiles } from "./OwnerProfiles.ts"
import { Owners } from "./Owners.ts"

export const layer = Layer.mergeAll(Guests.layer, OwnerPayouts.layer, OwnerProfiles.layer).pipe(
  Layer.provideMerge(Owners.layer)
)
