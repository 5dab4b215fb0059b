import { DateTime } from "effect"
import type { FieldError } from "../../../schemas/platform/errors/FieldError.ts"
import type { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { LENGTHS, type SentForm } from "../../platform/http/SentForm.ts"
import { wireTime } from "../../platform/time/now.ts"
import type { LaterView } from "./laterPart.ts"
import { type Fold, NO_ZONE, readLocal } from "./localTime.ts"

/** The bounds of the fields of a moment. */
export const MOMENT_BOUNDS = { when: LENGTHS.word, zone: LENGTHS.word, fold: LENGTHS.word }

type Typed = Pick<LaterView, "when" | "zone" | "isZoneGiven"> & Partial<LaterView>

/** A moment that an author typed. `publishAt` is undefined for one that is refused, and `typed` says why. */
export interface SentMoment {
  readonly publishAt: Timestamp | undefined
  /** The values that the page shows again. */
  readonly typed: Typed
}

const foldOf = (text: string | undefined): Fold | undefined =>
  text === "first" || text === "second" ? text : undefined

/** Reads the moment of a form. */
export const readMoment = (form: SentForm<keyof typeof MOMENT_BOUNDS>): SentMoment => {
  const when = form.get("when")?.trim() ?? ""
  const zone = form.get("zone")?.trim() ?? NO_ZONE
  const fold = foldOf(form.get("fold"))
  const read = readLocal(when, zone, fold)
  const typed: Typed = { when, zone, isZoneGiven: true }
  const time = when.slice(11, 16)
  switch (read._tag) {
    case "Moment":
      return {
        publishAt: wireTime(DateTime.toDateUtc(read.moment)),
        // A page that asks for something else keeps which one was meant.
        typed:
          fold !== undefined && readLocal(when, zone, undefined)._tag === "Twice"
            ? { ...typed, isTwice: true, fold }
            : typed
      }
    case "Gap":
      return {
        publishAt: undefined,
        typed: {
          ...typed,
          wrong: `The clocks go forward then, so there is no ${time} on that day. Choose another time.`
        }
      }
    case "Twice":
      return {
        publishAt: undefined,
        typed: {
          ...typed,
          isTwice: true,
          wrong: `The clocks go back then, so ${time} comes twice on that day. Say below which one you mean.`
        }
      }
    case "Unreadable":
      return {
        publishAt: undefined,
        // A page must not name a zone that does not exist.
        typed: { when, zone: NO_ZONE, isZoneGiven: false, wrong: "Choose a day, a time and a time zone." }
      }
  }
}

const sentences: Readonly<Record<string, string>> = {
  in_past: "That time is past. Choose a later one, or publish the post now.",
  too_late: "That's too far ahead. Choose a time within the next 366 days.",
  after_key_expiry: "The website's key ends before that time. Choose an earlier one."
}

/** Returns the reason for which a moment was refused; undefined for errors that are about something else. */
export const wrongMoment = (error: {
  readonly errors?: ReadonlyArray<FieldError> | undefined
}): string | undefined => {
  const found = error.errors?.find(({ field }) => field === "publishAt")
  return found === undefined ? undefined : (sentences[found.code] ?? found.message)
}
