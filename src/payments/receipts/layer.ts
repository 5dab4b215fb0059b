import { Layer } from "effect"
import { Receipts } from "./Receipts.ts"
import { ReceiptsRepo } from "./ReceiptsRepo.ts"

export const layer = Receipts.layer.pipe(Layer.provide(ReceiptsRepo.layer))
