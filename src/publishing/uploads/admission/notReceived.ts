import { Cause, Effect, Option } from "effect"
import { StorageUnavailable } from "../../../platform/ports/ObjectStorage.ts"
import { Transactions } from "../../../platform/sql/Transactions.ts"
import { now } from "../../../platform/time/now.ts"
import { RELEASING_MILLIS } from "../operation/deadlines.ts"
import type { Operation } from "../operation/operation.ts"
import { operationStatements } from "../operation/operations.sql.ts"
import { makePlaces } from "../operation/places.ts"
import { isAttachment } from "../operation/target.ts"
import { makeStagedFiles } from "./stagedFile.ts"
import { BodyBrokenOff, type FormRefusal } from "./uploadForm.ts"

/** Reasons why a file is not received. */
type Failure = Cause.Cause<FormRefusal | StorageUnavailable>

/** Returns the error of a cause, or undefined for a defect or an interruption. */
const errorOf = <E>(cause: Cause.Cause<E>): E | undefined =>
  Option.getOrUndefined(Cause.findErrorOption(cause))

/** Records how uploads ended without their file. A sender who is gone never waits for these records. */
export const makeNotReceived = Effect.gen(function* () {
  const operations = yield* operationStatements
  const places = yield* makePlaces
  const staged = yield* makeStagedFiles
  const transactions = yield* Transactions

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

  const inTime = <E>(ending: Effect.Effect<void, E>) =>
    ending.pipe(Effect.sandbox, Effect.timeoutOption(RELEASING_MILLIS), Effect.ignore({ log: "Warn" }))

  return {
    /**
     * Leaves nothing of a file that did not arrive. A refused upload is forgotten, and a broken one may be sent again.
     */
    notArrived: Effect.fnUntraced(function* (operation: Operation, cause: Failure) {
      const error = errorOf(cause)
      if (error instanceof StorageUnavailable)
        yield* operations.apply(operation, { type: "abandoned", at: yield* now })
      else if (error === undefined || error instanceof BodyBrokenOff) {
        yield* operations.apply(operation, { type: "broken_off" })
      } else yield* forget(operation)
    }, inTime),

    /** A refused image leaves nothing. Files that may be left for another reason are removed by the pipeline. */
    notKept: Effect.fnUntraced(function* (operation: Operation, cause: Failure) {
      const error = errorOf(cause)
      const isRefused = error !== undefined && !(error instanceof StorageUnavailable)
      if (isRefused && (yield* Effect.isSuccess(staged.discard(operation)))) yield* forget(operation)
      else yield* operations.apply(operation, { type: "abandoned", at: yield* now })
    }, inTime),

    /** Leaves nothing of a file whose Post does not take it any more. */
    notTaken: Effect.fnUntraced(function* (operation: Operation) {
      yield* Effect.ignore(staged.discard(operation))
      yield* forget(operation)
    }, inTime)
  }
})
