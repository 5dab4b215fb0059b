import { Layer } from "effect"
import { Finances } from "./Finances.ts"
import { Obligations } from "./Obligations.ts"
import { Refunds } from "./Refunds.ts"

export const layer = Layer.mergeAll(Finances.layer, Obligations.layer, Refunds.layer)
