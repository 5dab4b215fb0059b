import type { RefusalCode } from "../../../../schemas/engagement/subscribers/SubscriberImport.ts"

/** The places of the columns that an import reads; -1 for one that a list does not have. */
export interface Columns {
  readonly email: number
  /** Columns of words such as `unsubscribed`. */
  readonly states: ReadonlyArray<number>
  /** Columns that are filled in for readers who left, and whose mail did not arrive. */
  readonly left: ReadonlyArray<number>
  readonly bounced: ReadonlyArray<number>
  /** Columns that say `false` for readers who get no mail, and that say `true` for them. */
  readonly wanted: ReadonlyArray<number>
  readonly disabled: ReadonlyArray<number>
}

/** The names of columns, without regard to case and signs, in the order of preference. */
const NAMES = {
  // All; Mailchimp and Buttondown; others.
  email: ["email", "emailaddress", "address", "subscriberemail"],
  // Pennypress; others; Buttondown.
  states: ["state", "status", "type", "subscribertype"],
  // Mailchimp; Ghost; Buttondown; Pennypress.
  left: ["unsubtime", "deletedat", "unsubscriptiondate", "unsubscribedat", "endedat"],
  // Mailchimp; Buttondown.
  bounced: ["cleantime", "undeliverabledate"],
  // Ghost.
  wanted: ["subscribedtoemails", "subscribed"],
  // Substack.
  disabled: ["emaildisabled"]
} as const

/** States of other services that keep a reader away. A paid, a free or a gifted reader gets the posts. */
const STATES: Readonly<Record<string, RefusalCode>> = {
  unsubscribed: "unsubscribed",
  unsub: "unsubscribed",
  ended: "unsubscribed",
  removed: "unsubscribed",
  deleted: "unsubscribed",
  archived: "unsubscribed",
  inactive: "unsubscribed",
  suppressed: "bounced",
  bounced: "bounced",
  cleaned: "bounced",
  undeliverable: "bounced",
  complained: "bounced",
  spam: "bounced",
  blocked: "bounced",
  pending: "unconfirmed",
  unactivated: "unconfirmed",
  unconfirmed: "unconfirmed",
  nonsubscribed: "unconfirmed",
  transactional: "unconfirmed"
}

const wordOf = (text = "") => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "")

/** Returns the places of the columns by their names. */
export const columnsOf = (head: ReadonlyArray<string>): Columns => {
  const words = head.map(wordOf)
  const places = (names: ReadonlyArray<string>) =>
    names.map((name) => words.indexOf(name)).filter((at) => at !== -1)
  return {
    email: places(NAMES.email)[0] ?? -1,
    states: places(NAMES.states),
    left: places(NAMES.left),
    bounced: places(NAMES.bounced),
    wanted: places(NAMES.wanted),
    disabled: places(NAMES.disabled)
  }
}

const isNo = (cell = "") => /^(false|no|0)$/i.test(cell.trim())
const isYes = (cell = "") => /^(true|yes|1)$/i.test(cell.trim())

/** Returns the reason why a row brings no reader; undefined for one who gets the posts elsewhere. */
export const refusalOf = (row: ReadonlyArray<string>, columns: Columns): RefusalCode | undefined => {
  const isFilled = (at: number) => (row[at] ?? "").trim() !== ""
  const states = new Set(columns.states.map((at) => STATES[wordOf(row[at])]))
  if (columns.bounced.some(isFilled) || states.has("bounced")) return "bounced"
  if (
    columns.left.some(isFilled) ||
    columns.wanted.some((at) => isNo(row[at])) ||
    columns.disabled.some((at) => isYes(row[at])) ||
    states.has("unsubscribed")
  )
    return "unsubscribed"
  return states.has("unconfirmed") ? "unconfirmed" : undefined
}
