import { ServiceError } from "../../platform/errors/ServiceError.ts"

/** Owners cannot react to their own Posts and Comments (spec 4.6.4). */
export class OwnTarget extends ServiceError<OwnTarget>()("OwnTarget") {}
