import { Option, Schema } from "effect"
import {
  GIFT_LABEL_CHARACTERS_MAX,
  GIFT_LIFETIME_DEFAULT_DAYS,
  GIFT_REDEMPTIONS_DEFAULT,
  GIFT_REDEMPTIONS_MAX,
  GiftRequest
} from "../../../../schemas/payments/gifts/Gift.ts"
import type { PostId } from "../../../../schemas/platform/Ids.ts"
import type { SentForm } from "../../../platform/http/SentForm.ts"
import { DAY_MILLIS, later } from "../../../platform/time/now.ts"

/** The fields of a form for a gift, as its author wrote them. */
export interface GiftTerms {
  readonly label: string
  readonly readers: string
  /** The last day of the gift, in UTC; empty for a gift without an end. */
  readonly until: string
}

/** The reasons why fields were refused, in sentences. */
export type WrongTerms = Partial<Readonly<Record<keyof GiftTerms, string>>>

const NUMBER = /^\d{1,6}$/
const DAY = /^\d{4}-\d{2}-\d{2}$/

/** Returns the day of a moment, as date fields have it. */
export const dayFieldOf = (moment: Date): string => moment.toISOString().slice(0, 10)

/** Returns the terms of a form that was not yet filled in. */
export const defaultTerms = (at: Date): GiftTerms => ({
  label: "",
  readers: String(GIFT_REDEMPTIONS_DEFAULT),
  until: dayFieldOf(later(at, GIFT_LIFETIME_DEFAULT_DAYS * DAY_MILLIS))
})

/** Reads the fields of a form. */
export const termsOf = (form: SentForm<keyof GiftTerms>): GiftTerms => ({
  label: (form.get("label") ?? "").trim(),
  readers: (form.get("readers") ?? "").trim(),
  until: (form.get("until") ?? "").trim()
})

export const wrongTerms = {
  label: `Use up to ${GIFT_LABEL_CHARACTERS_MAX} characters on one line.`,
  readers: `Choose a number from 1 to ${GIFT_REDEMPTIONS_MAX.toLocaleString("en")}.`,
  until: "Choose a day that hasn't passed, or leave it empty."
} as const

const decode = Schema.decodeUnknownOption(GiftRequest)

/**
 * Returns the request that a form makes, or the fields that are wrong in it. The gift lasts until the end of its day, so a
 * form that is sent again asks for the same.
 */
export const requestOf = (postId: PostId, { label, readers, until }: GiftTerms): GiftRequest | WrongTerms => {
  const parts = {
    label: label === "" ? {} : { label },
    readers: { maxRedemptions: NUMBER.test(readers) ? Number(readers) : 0 },
    until: { expiresAt: until === "" ? null : DAY.test(until) ? `${until}T23:59:59Z` : "" }
  }
  const request = decode({ postId, ...parts.label, ...parts.readers, ...parts.until })
  if (Option.isSome(request)) return request.value
  const wrong = (["label", "readers", "until"] as const).filter((name) =>
    Option.isNone(decode({ postId, ...parts[name] }))
  )
  return Object.fromEntries(wrong.map((name) => [name, wrongTerms[name]]))
}
