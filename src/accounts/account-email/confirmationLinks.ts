import { Effect, Option, Result, Schema } from "effect"
import { Base64Url } from "effect/encoding"
import { EmailCode } from "../../../schemas/accounts/email-codes/EmailCode.ts"
import { Validation } from "../../../schemas/platform/errors/common.ts"
import { EmailChangeId, OwnerId } from "../../../schemas/platform/Ids.ts"
import { Sealer } from "../../platform/ports/Sealer.ts"

/**
 * Content of a confirmation link, sealed: the change, its owner, and the code that confirms it. It is written short, because
 * plain mails show the link.
 */
const Token = Schema.Struct({
  ownerId: OwnerId,
  changeId: EmailChangeId,
  code: EmailCode,
  /** Milliseconds since 1970. */
  expiresAt: Schema.Int
})
type Token = typeof Token.Type

const TOKEN = /^confirm ([\da-f]{32})([\da-f]{32})(\d{6})(\d{1,15})$/

const decode = Schema.decodeUnknownOption(Token)

const digitsOf = (id: string) => id.replaceAll("-", "")
const idOf = (digits = "") => digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")

const written = ({ changeId, code, expiresAt, ownerId }: Token) =>
  `confirm ${digitsOf(ownerId)}${digitsOf(changeId)}${code}${expiresAt}`

const read = (text: string): Option.Option<Token> => {
  const [, owner, change, code, expiresAt] = TOKEN.exec(text) ?? []
  return decode({ ownerId: idOf(owner), changeId: idOf(change), code, expiresAt: Number(expiresAt) })
}

/** Makes and opens the tokens of confirmation links. They are sealed and not stored: opening one costs no query. */
export const confirmationTokens = Effect.map(Sealer, (sealer) => ({
  make: (token: Token): Effect.Effect<string> => Effect.map(sealer.seal(written(token)), Base64Url.encode),

  /** Returns none for a text that this service did not make. An expired token can also be opened. */
  open: Effect.fn("confirmationTokens.open")(function* (text: string) {
    const bytes = Base64Url.decode(text)
    if (Result.isFailure(bytes)) return Option.none<Token>()
    return Option.flatMap(yield* sealer.open(bytes.success), read)
  })
}))

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
