import { Layer } from "effect"
import { Access } from "./Access.ts"
import { AccessRepo } from "./AccessRepo.ts"

export const layer = Access.layer.pipe(Layer.provide(AccessRepo.layer))
