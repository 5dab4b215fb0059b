import { Schema } from "effect"
import { systemReason } from "../../files/systemReason.ts"

/** Another living process owns the embedded server of this data directory. */
export class DataDirectoryInUse extends Schema.TaggedError<DataDirectoryInUse>()("DataDirectoryInUse", {
  dataDirectory: Schema.String,
  message: Schema.String
}) {}

/** The step at which a start of the embedded server failed. */
const Step = Schema.Literals(["platform", "binaries", "directory", "account", "initdb", "start", "attach"])

/** The embedded server is not available. The message gives the reason and names `DATABASE_URL` as the alternative. */
export class EmbeddedPostgresFailed extends Schema.TaggedError<EmbeddedPostgresFailed>()(
  "EmbeddedPostgresFailed",
  { step: Step, message: Schema.String }
) {}

/** Makes an `EmbeddedPostgresFailed` whose message ends with the alternative. */
export const failure = (step: typeof Step.Type, problem: string) =>
  new EmbeddedPostgresFailed({
    step,
    message: `Embedded PostgreSQL: ${problem.trimEnd()}\nOr set DATABASE_URL to use a PostgreSQL server (15 or newer) of your own.`
  })

/** Returns the reason of the system, or else the message of any caught value. */
export const messageOf = (cause: unknown) =>
  systemReason(cause) ?? (cause instanceof Error ? cause.message : String(cause))
