// The thread that reads sections loads this module, so it imports none of the framework.

/** Maximum number of code points of a URL. */
export const HTTP_URL_LENGTH_MAX = 2048

/** Characters that a URL cannot hold; a parser would drop or replace some of them. */
const NOT_IN_A_URL = /[\s\\\p{Cc}\p{Cf}\p{Co}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/u

/** Returns true for an absolute HTTP or HTTPS URL with a host and without credentials, of any length. */
export const hasHttpUrlForm = (text: string): boolean => {
  const authority = /^https?:\/\/([^/?#]+)/i.exec(text)?.[1]
  if (authority === undefined || authority.includes("@") || NOT_IN_A_URL.test(text)) return false
  return URL.canParse(text)
}

/** Returns true for a text that the schema `HttpUrl` accepts. */
export const isHttpUrl = (text: string): boolean =>
  // A code point is at most two units, so a longer text need not be counted.
  text.length <= 2 * HTTP_URL_LENGTH_MAX &&
  Array.from(text).length <= HTTP_URL_LENGTH_MAX &&
  text.isWellFormed() &&
  hasHttpUrlForm(text)
