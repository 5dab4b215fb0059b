import { Layer } from "effect"
import { Moderation } from "./Moderation.ts"
import { Restrictions } from "./Restrictions.ts"
import { RestrictionsRepo } from "./RestrictionsRepo.ts"

export const layer = Layer.merge(
  Moderation.layer,
  Restrictions.layer.pipe(Layer.provide(RestrictionsRepo.layer))
)
