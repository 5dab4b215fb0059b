import type { ImportState } from "../../../../schemas/publishing/imports/Import.ts"

/** Something that happens to an import: the end of a step of the service, or a request of its author. */
export type ImportEvent =
  /** All bytes of the file are stored. */
  | "stored"
  /** Every item is written, or every one up to damage in the middle of the file. */
  | "read"
  /** Nothing of the file can be read. */
  | "unreadable"
  | "apply"
  | "publish"
  /** No item is left to do. */
  | "finished"
  | "cancel"
  | "undo"
  | "remove"

type Transitions = Readonly<Record<ImportState, Partial<Record<ImportEvent, ImportState | "removing">>>>

/** The states of an import, with the state that follows from each event. An event that is missing is refused. */
const transitions: Transitions = {
  awaiting_file: { stored: "reading", cancel: "cancelled", remove: "removing" },
  reading: { read: "review", unreadable: "failed", cancel: "cancelled" },
  review: { apply: "applying", publish: "applying", undo: "review", cancel: "cancelled", remove: "removing" },
  applying: { finished: "done", cancel: "cancelled" },
  done: { apply: "applying", publish: "applying", undo: "done", remove: "removing" },
  failed: { remove: "removing" },
  cancelled: { undo: "cancelled", remove: "removing" }
}

/** Returns the state after an event, or undefined when the state does not allow it. */
export const nextState = (state: ImportState, event: ImportEvent): ImportState | "removing" | undefined =>
  transitions[state][event]

/** States in which an account has no room for another import. */
export const UNDER_WAY = ["awaiting_file", "reading", "review", "applying"] as const

/** Returns true while the service works on an import. */
export const isWorking = (state: ImportState): boolean => state === "reading" || state === "applying"

const HOUR_MILLIS = 60 * 60 * 1000

/** Time after which an import that gets no bytes is removed. */
const WITHOUT_BYTES_MILLIS = 24 * HOUR_MILLIS
/** Time after which an import without an act of its author is removed. */
const WITHOUT_ACT_MILLIS = 30 * 24 * HOUR_MILLIS

/** Returns the time after which an import in a state is removed unless something happens to it. */
export const lifetimeMillis = (state: ImportState): number =>
  state === "awaiting_file" ? WITHOUT_BYTES_MILLIS : WITHOUT_ACT_MILLIS

/** The sentence for an author whose request a state does not allow. */
export const refusalOf = (state: ImportState): string => {
  switch (state) {
    case "awaiting_file":
      return "The import waits for its file: send the rest of the bytes first."
    case "reading":
      return "The file is being read: wait until the import is in review, or cancel it."
    case "applying":
      return "The import works on its items: wait until it is done, or cancel it."
    case "review":
      return "The file was read: apply its items, or cancel the import."
    case "done":
      return "The import is done: there is nothing to cancel, and its file is here."
    case "failed":
      return "The file could not be read: begin an import of another file."
    case "cancelled":
      return "The import was cancelled: begin another one."
  }
}
