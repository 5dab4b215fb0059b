import { ServiceError } from "../../platform/errors/ServiceError.ts"

/** An owner cannot follow themselves (spec 4.6.5). */
export class SelfFollow extends ServiceError<SelfFollow>()("SelfFollow") {}
