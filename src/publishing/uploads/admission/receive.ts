import { Cause, Effect, type Exit, Option, type Scope } from "effect"
import { StorageUnavailable } from "../../../platform/ports/ObjectStorage.ts"
import { Transactions } from "../../../platform/sql/Transactions.ts"
import { now } from "../../../platform/time/now.ts"
import { gracefully } from "../../../platform/work/gracefully.ts"
import { KEEPING_MILLIS, RECEIVING_MILLIS, RELEASING_MILLIS } from "../operation/deadlines.ts"
import { makeCleanUpLateFile } from "../operation/lateFile.ts"
import { type Operation, transition } from "../operation/operation.ts"
import { operationStatements } from "../operation/operations.sql.ts"
import { makePlaces } from "../operation/places.ts"
import type { ReceivedFile } from "../operation/settlement.ts"
import { isAttachment } from "../operation/target.ts"
import type { makeFileReceiver } from "./stagedFile.ts"
import { makeStagedFiles } from "./stagedFile.ts"
import { UploadUncertain } from "./uncertain.ts"
import { BodyBrokenOff, type FormRefusal, type SentFile } from "./uploadForm.ts"

/** Opens the form of a request at its file, for as long as the scope lasts. */
export type OpenFile = Effect.Effect<SentFile, FormRefusal, Scope.Scope>

const tooSlow = () =>
  new StorageUnavailable({ operation: "put", cause: new Error("The store took longer than the lease") })

/** Returns the error of a cause, or undefined for a defect or an interruption. */
const errorOf = <E>(cause: Cause.Cause<E>): E | undefined =>
  Option.getOrUndefined(Cause.findErrorOption(cause))

/** Receives the file of a reservation, from the first byte to the durable checkpoint (spec 3.2.1). */
export const makeReceive = Effect.fnUntraced(function* (
  files: Effect.Success<typeof makeFileReceiver>,
  ring: Effect.Effect<void>
) {
  const operations = yield* operationStatements
  const places = yield* makePlaces
  const staged = yield* makeStagedFiles
  const transactions = yield* Transactions
  const cleanUpLateFile = yield* makeCleanUpLateFile

  /** Forgets an operation, and takes the file that it announced off its Post. */
  const forget = Effect.fnUntraced(function* (operation: Operation) {
    if (!isAttachment(operation)) {
      yield* operations.forget(operation)
      return
    }
    yield* Effect.gen(function* () {
      yield* places.lock(operation)
      if (yield* operations.forget(operation)) yield* places.remove(operation, yield* now, true)
    }).pipe(transactions.run)
  })

  /** Records how an upload ended without its file, whose sender may be gone. */
  const release = (ending: Effect.Effect<void>) =>
    ending.pipe(Effect.sandbox, Effect.timeoutOption(RELEASING_MILLIS), Effect.ignore({ log: "Warn" }))

  /**
   * Leaves nothing of a file that did not arrive. A refused upload is forgotten, and a broken one may be sent again.
   */
  const notArrived = Effect.fnUntraced(function* (
    operation: Operation,
    cause: Cause.Cause<FormRefusal | StorageUnavailable>
  ) {
    const error = errorOf(cause)
    if (error instanceof StorageUnavailable)
      yield* operations.apply(operation, { type: "abandoned", at: yield* now })
    else if (error === undefined || error instanceof BodyBrokenOff) {
      yield* operations.apply(operation, { type: "broken_off" })
    } else yield* forget(operation)
  })

  /** A refused image leaves nothing. Files that may be left for another reason are removed by the pipeline. */
  const notKept = Effect.fnUntraced(function* (
    operation: Operation,
    cause: Cause.Cause<FormRefusal | StorageUnavailable>
  ) {
    const error = errorOf(cause)
    const isRefused = error !== undefined && !(error instanceof StorageUnavailable)
    if (isRefused && (yield* Effect.isSuccess(staged.discard(operation)))) yield* forget(operation)
    else yield* operations.apply(operation, { type: "abandoned", at: yield* now })
  })

  const onFailure =
    (ending: (cause: Cause.Cause<FormRefusal | StorageUnavailable>) => Effect.Effect<void>) =>
    <A>(exit: Exit.Exit<A, FormRefusal | StorageUnavailable>) =>
      exit._tag === "Success" ? Effect.void : release(ending(exit.cause))

  /** Writes the bytes before the row that names them: a crash leaves a file without a row, never the reverse. */
  const commit = Effect.fn("Uploads.commit")(
    function* (operation: Operation, file: ReceivedFile) {
      const url = operation.target_kind === "inline" ? null : yield* places.lock(operation)
      const at = yield* now
      const settlement = transition(operation, { type: "received", at, file })
      const isOurs = settlement !== undefined && (yield* places.settle(operation, settlement, { url, at }))
      if (!isOurs) yield* cleanUpLateFile(operation.id, at)
      yield* ring
      return isOurs
    },
    (committing, operation) =>
      operation.target_kind === "inline" ? committing : transactions.run(committing)
  )

  return Effect.fn("Uploads.receive")(function* (operation: Operation, requestBytes: number, open: OpenFile) {
    const uncertain = (cause: unknown) => new UploadUncertain({ operationId: operation.id, cause })
    const file = yield* Effect.gen(function* () {
      const arrived = yield* Effect.flatMap(open, (sent) => files.arrive(operation, requestBytes, sent)).pipe(
        Effect.scoped,
        Effect.onExit(onFailure((cause) => notArrived(operation, cause)))
      )
      // All bytes are here: they are kept although their sender may be gone.
      return yield* files
        .keep(operation, arrived)
        .pipe(gracefully(KEEPING_MILLIS), Effect.onExit(onFailure((cause) => notKept(operation, cause))))
    }).pipe(
      Effect.timeoutOrElse({ duration: RECEIVING_MILLIS, orElse: () => Effect.fail(tooSlow()) }),
      Effect.catchTag("StorageUnavailable", (error) => Effect.fail(uncertain(error))),
      Effect.catchDefect((defect) => Effect.fail(uncertain(defect)))
    )
    const isOurs = yield* Effect.uninterruptible(commit(operation, file)).pipe(
      Effect.tapError(() =>
        release(Effect.andThen(Effect.ignore(staged.discard(operation)), forget(operation)))
      ),
      Effect.catchDefect((defect) => Effect.fail(uncertain(defect)))
    )
    if (!isOurs) yield* Effect.ignore(staged.discard(operation))
  })
})
