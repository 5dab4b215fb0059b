import { Layer } from "effect"
import { Withdrawals } from "./Withdrawals.ts"
import { WithdrawalsRepo } from "./WithdrawalsRepo.ts"

export const layer = Withdrawals.layer.pipe(Layer.provide(WithdrawalsRepo.layer))
