import { Schema } from "effect"
import { ServiceError } from "../../platform/errors/ServiceError.ts"
import { ImportId } from "../../platform/Ids.ts"
import { ImportState } from "./Import.ts"

/** Another import of the account is under way, or this one works and cannot be deleted. */
export class ImportInProgress extends ServiceError<ImportInProgress>()("ImportInProgress", {
  importId: ImportId
}) {}

/** The piece does not begin where the stored bytes end. */
export class ImportOffset extends ServiceError<ImportOffset>()("ImportOffset", {
  received: Schema.Int
}) {}

/** The import is in a state that does not allow the step. */
export class ImportStateRefused extends ServiceError<ImportStateRefused>()("ImportStateRefused", {
  state: ImportState
}) {}
