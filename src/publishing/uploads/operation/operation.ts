import { Schema } from "effect"
import { OwnerId, UploadOperationId, UploadTargetId } from "../../../../schemas/platform/Ids.ts"
import { fileFormats } from "../../../../schemas/publishing/uploads/limits.ts"
import { UploadTask } from "../../../../schemas/publishing/uploads/rpc.ts"
import { TargetKind, UploadState } from "../../../../schemas/publishing/uploads/Upload.ts"
import { later } from "../../../platform/time/now.ts"
import { type FailureClass, SUSPECT_ATTEMPTS_MAX } from "../../screening/attempts.ts"
import { RESERVATION_MILLIS } from "./deadlines.ts"
import type { Event } from "./event.ts"
import type { Decision, ReceivedFile, Settlement } from "./settlement.ts"
import { isAttachment } from "./target.ts"

/** An upload operation as its transitions read it. */
export const Operation = Schema.Struct({
  id: UploadOperationId,
  owner_id: OwnerId,
  target_kind: TargetKind,
  target_id: UploadTargetId,
  target_key: Schema.String,
  /** Name of an attachment; null for images. */
  file_name: Schema.NullOr(Schema.String),
  created_at: Schema.Date,
  state: UploadState,
  next_task: Schema.NullOr(UploadTask),
  /** Time at which the next task may be claimed: that of a retry, or the end of the current lease. */
  due_at: Schema.Date,
  /** Number of leases so far. A lease that is not the last one writes nothing. */
  attempts: Schema.Int,
  /** Number of times that bytes were sent. Each has a staged file of its own. */
  upload_attempts: Schema.Int,
  /** Failures in a row that say nothing of the image. */
  retries: Schema.Int,
  /** Failures that the image may have caused. */
  failures: Schema.Int,
  desired: Schema.Boolean,
  staged_bytes: Schema.Int,
  format: Schema.NullOr(Schema.Literals(fileFormats)),
  /** In hex; null until the bytes are durable. */
  sha256: Schema.NullOr(Schema.String),
  public_url: Schema.NullOr(Schema.String),
  /** Pixels that the next task decodes; a ZIP counts as the largest picture. */
  next_pixels: Schema.Int,
  /** True when the next task takes so long that others should not wait for it. */
  is_heavy: Schema.Boolean,
  /** True for a still image that may have smaller copies, until they are made. */
  is_unscaled: Schema.Boolean
})
export type Operation = typeof Operation.Type

/** Lease of an operation: `attempts` names it. */
export type Lease = Pick<Operation, "id" | "attempts">

const unfinished: ReadonlySet<UploadState> = new Set(["receiving", "queued", "checking"])
const hidden: ReadonlySet<UploadState> = new Set(["rejected", "failed", "cancelled"])

/** Returns true when something still happens to the operation without its author. */
export const isUnfinished = (state: UploadState) => unfinished.has(state)

/** Returns true when readers never see the image again. */
export const isHidden = (state: UploadState) => hidden.has(state)

/** Returns true when the bytes are still wanted and no request receives them. */
export const awaitsBytes = (
  { desired, due_at, next_task, state }: Pick<Operation, "desired" | "due_at" | "next_task" | "state">,
  at: Date
) => state === "receiving" && desired && (next_task === "expire" || due_at <= at)

/** Tasks that an image may make fail. */
const suspect: ReadonlySet<Operation["next_task"]> = new Set(["publish", "screen", "scale"])

/** Returns true when a failure says nothing of the image: removing files never does. */
const isTransient = ({ next_task }: Operation, failure: FailureClass) =>
  failure === "transient" || !suspect.has(next_task)

/** Returns true when the image ended too many attempts, so that no other is made. */
export const isExhausted = (operation: Operation, failure: FailureClass) =>
  !isTransient(operation, failure) && operation.failures + 1 >= SUSPECT_ATTEMPTS_MAX

/** Returns how a failed task is tried again, and the failures of its class in a row with this one. */
export const retryOf = (operation: Operation, failure: FailureClass) =>
  isTransient(operation, failure)
    ? ({ failure: "transient", inARow: operation.retries + 1 } as const)
    : ({ failure, inARow: operation.failures + 1 } as const)

const postponed = (
  operation: Operation,
  { dueAt, failure, reason }: Extract<Event, { type: "postponed" }>
): Settlement => {
  const retry = retryOf(operation, failure)
  return {
    ...(operation.next_task === "screen" ? { state: "queued" } : {}),
    // A hidden image has its reason already, and a cleared one needs none.
    ...(operation.next_task === "clean_up" || operation.next_task === "scale" ? {} : { last_error: reason }),
    due_at: dueAt,
    ...(retry.failure === "transient" ? { retries: retry.inARow } : { failures: retry.inARow })
  }
}

const rescreened = (operation: Operation, at: Date): Settlement | undefined => {
  const { public_url, sha256, staged_bytes, state } = operation
  const hasBytes = state === "queued" || state === "checking" || state === "cleared" || staged_bytes > 0
  if (sha256 === null || !operation.desired || !hasBytes) return undefined
  return {
    state: "queued",
    next_task: public_url === null && !isAttachment(operation) ? "publish" : "screen",
    due_at: at,
    attempts: operation.attempts + 1,
    retries: 0,
    failures: 0,
    last_error: null,
    detail: null,
    decided: null
  }
}

const cancelled = (operation: Operation, at: Date): Settlement | undefined => {
  const { due_at, next_task, state } = operation
  if (!operation.desired && !isUnfinished(state) && state !== "cleared") return undefined
  return {
    desired: false,
    attempts: operation.attempts + 1,
    state: state === "rejected" || state === "failed" ? state : "cancelled",
    next_task: "clean_up",
    // The request that receives the bytes may still store a file, and so may the fiber that makes smaller copies.
    due_at: (next_task === "receive" || next_task === "scale") && due_at > at ? due_at : at
  }
}

const receivedOf = (operation: Operation, file: ReceivedFile, at: Date): Settlement => {
  const lacksCopy = file.copy === null && !isAttachment(operation)
  return {
    state: "queued",
    next_task: lacksCopy ? "publish" : "screen",
    due_at: at,
    staged_bytes: file.byte_size,
    last_error: lacksCopy ? "unavailable storage" : null,
    received: { at, file }
  }
}

/** Returns the changes that a verdict makes. */
const decided = (decision: Decision, at: Date): Settlement => ({
  state: decision.verdict,
  next_task: "clean_up",
  due_at: at,
  last_error: decision.reason,
  detail: decision.detail,
  retries: 0,
  decided: { at, decision }
})

/** Returns the changes of an operation whose files are cleaned up. An image that readers keep gets its smaller copies. */
const cleanedUp = ({ is_unscaled, state }: Operation, at: Date): Settlement =>
  state === "cleared" && is_unscaled
    ? { next_task: "scale", due_at: at, staged_bytes: 0, retries: 0, failures: 0 }
    : { next_task: null, staged_bytes: 0 }

/** Returns the changes of an operation whose bytes have not come, once no file is left of them. */
const withoutFiles = (operation: Operation, at: Date | undefined): Settlement => {
  const expiresAt = later(operation.created_at, RESERVATION_MILLIS)
  return at !== undefined && expiresAt <= at
    ? { state: "cancelled", next_task: null, staged_bytes: 0 }
    : { next_task: "expire", due_at: expiresAt, staged_bytes: 0 }
}

/**
 * Returns the changes that an event makes, or undefined when it changes nothing (spec 3.2). This is the whole state
 * machine. Statements write its result under the lease or the lock with which they read the operation.
 */
export const transition = (operation: Operation, event: Event): Settlement | undefined => {
  const { next_task, state } = operation
  const isReceiving = state === "receiving"
  const isAwaited = isReceiving && operation.desired
  switch (event.type) {
    case "sent_again":
      return awaitsBytes(operation, event.at)
        ? {
            next_task: "receive",
            due_at: event.leaseUntil,
            staged_bytes: event.bytes,
            attempts: operation.attempts + 1,
            upload_attempts: operation.upload_attempts + 1
          }
        : undefined
    case "received":
      return isAwaited ? receivedOf(operation, event.file, event.at) : undefined
    case "broken_off":
      return isAwaited ? withoutFiles(operation, undefined) : undefined
    case "abandoned":
      return isAwaited ? { due_at: event.at } : undefined
    case "claimed":
      return next_task === null
        ? undefined
        : {
            due_at: event.leaseUntil,
            attempts: operation.attempts + 1,
            // A lease that ended while it was checked may have been ended by the image.
            ...(next_task === "screen"
              ? { state: "checking", failures: operation.failures + (state === "checking" ? 1 : 0) }
              : {})
          }
    case "leftovers_removed":
      return isReceiving ? withoutFiles(operation, event.at) : undefined
    case "published":
      return next_task === "publish"
        ? { next_task: "screen", due_at: event.at, last_error: null, retries: 0, copy: event.copy }
        : undefined
    case "decided":
      return next_task === "screen" || next_task === "publish" ? decided(event.decision, event.at) : undefined
    case "cleaned_up":
      return next_task === "clean_up" ? cleanedUp(operation, event.at) : undefined
    case "scaled":
      return next_task === "scale" ? { next_task: null, variants: event.variants } : undefined
    case "postponed":
      return next_task === null ? undefined : postponed(operation, event)
    case "handed_back":
      return next_task === null
        ? undefined
        : { ...(next_task === "screen" ? { state: "queued" } : {}), due_at: event.at }
    case "cancelled":
      return cancelled(operation, event.at)
    case "held":
      return { held: true }
    case "released":
      // A cleanup that waited for the end of the hold is due now.
      return { held: false, ...(next_task === "clean_up" ? { due_at: event.at } : {}) }
    case "rescreened":
      return rescreened(operation, event.at)
    case "file_left":
      return isHidden(state)
        ? { next_task: "clean_up", due_at: event.at, attempts: operation.attempts + 1 }
        : undefined
  }
}
