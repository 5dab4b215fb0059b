import { Layer } from "effect"
import { EmailCodes } from "./EmailCodes.ts"
import { EmailCodesRepo } from "./EmailCodesRepo.ts"

export const layer = EmailCodes.layer.pipe(Layer.provide(EmailCodesRepo.layer))
