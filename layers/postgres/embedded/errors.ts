import { Schema } from "effect"

/** Another living process owns the embedded server of this data directory. */
export class DataDirectoryInUse extends Schema.TaggedError<DataDirectoryInUse>()("DataDirectoryInUse", {
  dataDirectory: Schema.String,
  message: Schema.String
}) {}

/** Where a start of the embedded server can go wrong. */
const Step = Schema.Literals(["platform", "binaries", "directory", "account", "initdb", "start", "attach"])

/** There is no embedded server; the message says why, and that `DATABASE_URL` takes its place. */
export class EmbeddedPostgresFailed extends Schema.TaggedError<EmbeddedPostgresFailed>()(
  "EmbeddedPostgresFailed",
  { step: Step, message: Schema.String }
) {}

/** An `EmbeddedPostgresFailed` that ends with the way out. */
export const failure = (step: typeof Step.Type, problem: string) =>
  new EmbeddedPostgresFailed({
    step,
    message: `Embedded PostgreSQL: ${problem.trimEnd()}\nOr set DATABASE_URL to use a PostgreSQL server (15 or newer) of your own.`
  })

/** What a caught value says, whatever it is. */
export const messageOf = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause))
