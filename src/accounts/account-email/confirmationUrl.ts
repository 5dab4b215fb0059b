import { Validation } from "../../../schemas/platform/errors/common.ts"

/** The path of confirmation links, on the origin of the identity provider. */
export const CONFIRMATION_PATH = "/auth/v1/verify"
const TYPE = "email_change"

/** The link of a mail. It opens a page that shows the code, and changes nothing. */
export const confirmationUrl = (origin: string, token: string): string =>
  `${origin}${CONFIRMATION_PATH}?token=${token}&type=${TYPE}`

/** The one value of a parameter; undefined when it is missing or there are several. */
const only = (url: URL, name: string) => {
  const values = url.searchParams.getAll(name)
  return values.length === 1 ? values[0] : undefined
}

/**
 * The token of a confirmation link as its reader sends it back; undefined unless its origin, path and type are those
 * that we write (spec 4.1.6). Nothing is fetched. Additions by mail programs to a link are ignored.
 */
export const tokenOfUrl = (origin: string, text: string): string | undefined => {
  const url = URL.parse(text)
  if (url === null || url.username !== "" || url.password !== "") return undefined
  if (url.origin !== origin || url.pathname !== CONFIRMATION_PATH || only(url, "type") !== TYPE)
    return undefined
  return only(url, "token")
}

const refused = (code: string, message: string) =>
  new Validation({ errors: [{ field: "confirmationUrl", code, message }] })

/** The link is not from the mail for the pending change. */
export const mismatchedLink = () =>
  refused("mismatch", "Send the link from the newest mail for your pending change, exactly as it is")

/** The link is the right one, but it has expired. */
export const expiredLink = () =>
  refused(
    "expired",
    "The link is older than ten minutes; ask for a new one with POST /api/v1/account/email/resend"
  )
