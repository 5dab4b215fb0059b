import { Layer } from "effect"
import { Profiles } from "./Profiles.ts"
import { ProfilesRepo } from "./ProfilesRepo.ts"

export const layer = Profiles.layer.pipe(Layer.provide(ProfilesRepo.layer))
