import { Layer } from "effect"
import { Registrations } from "./Registrations.ts"
import { RegistrationsRepo } from "./RegistrationsRepo.ts"

export const layer = Registrations.layer.pipe(Layer.provide(RegistrationsRepo.layer))
