import type { FieldError } from "./FieldError.ts"

/** Maximum number of characters of a summary: one line in most clients. */
export const SUMMARY_CHARACTERS_MAX = 240

const shorten = (text: string, max: number) => (text.length <= max ? text : `${text.slice(0, max - 1)}…`)

const sentence = ({ field, message }: FieldError) =>
  field === "" ? message : `${shorten(field, 80)}: ${message}`

const andMore = (count: number) => (count === 0 ? "" : `; and ${count.toLocaleString("en")} more`)

/**
 * Returns the first field errors in one line, for clients that show nothing else: "title: …; and 3 more". `unlisted`
 * counts errors beyond the list.
 */
export const summaryOf = (errors: ReadonlyArray<FieldError>, unlisted = 0): string => {
  const total = errors.length + unlisted
  let summary = ""
  let told = 0
  for (const error of errors) {
    const next = summary === "" ? sentence(error) : `${summary}; ${sentence(error)}`
    if (told > 0 && next.length + andMore(total - told - 1).length > SUMMARY_CHARACTERS_MAX) break
    summary = next
    told++
  }
  const more = andMore(total - told)
  return shorten(summary, SUMMARY_CHARACTERS_MAX - more.length) + more
}
