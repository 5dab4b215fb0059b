import { Layer } from "effect"
import { PayoutAddresses } from "./PayoutAddresses.ts"
import { PayoutAddressesRepo } from "./PayoutAddressesRepo.ts"

export const layer = PayoutAddresses.layer.pipe(Layer.provide(PayoutAddressesRepo.layer))
