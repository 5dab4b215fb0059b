import { ServiceError } from "../../platform/errors/ServiceError.ts"

/** Owners do not react to what they wrote themselves (spec 4.6.4). */
export class OwnTarget extends ServiceError<OwnTarget>()("OwnTarget") {}
