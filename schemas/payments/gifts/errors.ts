import { ServiceError } from "../../platform/errors/ServiceError.ts"
import { Gift } from "./Gift.ts"

/** The answer to a repeated issuance: the gift as it is now, never its token. */
export class GiftAlreadyIssued extends ServiceError<GiftAlreadyIssued>()("GiftAlreadyIssued", {
  gift: Gift
}) {}

/** The owner has as many active gifts as an account may have. */
export class GiftLimitReached extends ServiceError<GiftLimitReached>()("GiftLimitReached") {}
