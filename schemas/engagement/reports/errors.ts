import { ServiceError } from "../../platform/errors/ServiceError.ts"

/** The owner reported the same Post or Comment before, with another key (spec 4.6.1). */
export class DuplicateReport extends ServiceError<DuplicateReport>()("DuplicateReport") {}
