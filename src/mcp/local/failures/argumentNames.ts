import type { FieldError } from "../../../../schemas/platform/errors/FieldError.ts"

/** Arguments whose names are not those of the API in snake_case. */
const ARGUMENTS: Readonly<Record<string, string>> = { q: "query", handle: "author_handle", per_page: "limit" }

/** Maximum number of characters of a sentence of the service about a member. */
const SENTENCE_MAX = 300

/** Names a member of the API as the argument of a tool. */
export const named = ({ code, field, message }: FieldError): FieldError => ({
  field: ARGUMENTS[field] ?? field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  code,
  message: message.slice(0, SENTENCE_MAX)
})
