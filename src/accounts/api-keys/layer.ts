import { Layer } from "effect"
import { ApiKeys } from "./ApiKeys.ts"
import { ApiKeysRepo } from "./ApiKeysRepo.ts"

export const layer = ApiKeys.layer.pipe(Layer.provide(ApiKeysRepo.layer))
