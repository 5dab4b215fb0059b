import { Cause, Console, Effect, PlatformError } from "effect"
import { systemReason } from "../../layers/files/systemReason.ts"
import { databaseReason } from "../../layers/postgres/databaseReason.ts"

interface Failure {
  readonly _tag?: string
  readonly message?: string
  readonly code?: string
  readonly cause?: unknown
}

/** Errors that end a program with a message for its operator, and without a stack. */
const OPERATORS: ReadonlySet<string> = new Set([
  "AdminFailed",
  "BackupDamaged",
  "ClocksDiffer",
  "CommandRefused",
  "ConfigurationInvalid",
  "DatabaseNewerThanCode",
  "DatabaseNotUtf8",
  "DataDirectoryInUse",
  "DataDirectoryUnusable",
  "EmbeddedPostgresFailed",
  "FilesNotShared",
  "MigrationLockLost",
  "PostgresTooOld",
  "ServingProcessFailed",
  "S3UrlInvalid",
  "ServerSecretUnusable",
  "SmtpUrlInvalid"
])

const codeOf = (failure: Failure | undefined): string | undefined =>
  failure === undefined ? undefined : (failure.code ?? codeOf(failure.cause as Failure | undefined))

const pathOf = ({ reason }: PlatformError.PlatformError) =>
  reason._tag !== "BadArgument" && typeof reason.pathOrDescriptor === "string"
    ? reason.pathOrDescriptor
    : "A file"

const messageOf = (failure: Failure): string | undefined => {
  if (OPERATORS.has(failure._tag ?? "")) return failure.message
  if (failure._tag === "ServeError" && codeOf(failure) === "EADDRINUSE") {
    return "The address is in use: another program listens on this HOST and PORT. Stop it, or set another PORT."
  }
  if (failure._tag === "SqlError") return `The database cannot be used: ${databaseReason(failure)}.`
  if (failure instanceof PlatformError.PlatformError) {
    const reason = systemReason(failure)
    return reason === undefined
      ? undefined
      : `${pathOf(failure)} cannot be used: ${reason}. Correct that, and try again.`
  }
  return undefined
}

/** Returns the message for the operator who can fix this failure; undefined for a failure of the program. */
export const operatorMessage = (cause: Cause.Cause<unknown>): string | undefined =>
  messageOf(Cause.squash(cause) as Failure)

/** Ends the program with status 1 and one message when its operator can fix the failed start. */
export const explainFailure = <A, E, R>(program: Effect.Effect<A, E, R>) =>
  Effect.catchCause(
    program,
    Effect.fnUntraced(function* (cause) {
      const message = operatorMessage(cause)
      if (message === undefined) return yield* Effect.failCause(cause)
      yield* Console.error(`pennypress: ${message}`)
      process.exitCode = 1
    })
  )
