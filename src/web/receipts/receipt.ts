import { Redacted } from "effect"
import type { PaymentSessionId, PostId } from "../../../schemas/platform/Ids.ts"
import type { BrowserSecret } from "../../payments/sessions/browserSecret.ts"

/** Seconds for which a browser keeps what it bought, since it last bought or read something: a year. */
const BUYER_SECONDS = 365 * 24 * 60 * 60

/** Seconds for which a browser keeps the cookie of one payment: a month. */
const PAYMENT_SECONDS = 30 * 24 * 60 * 60

const RECEIPT = /^ppr_[0-9A-Za-z]{22}_[0-9A-Za-z]{43}$/

/** Returns the path of the text that a browser has bought. */
export const readPath = (postId: PostId): string => `/read/${postId}`

/** Returns the place in the text of a Post where the part for buyers begins. */
export const restPath = (postId: PostId): string => `${readPath(postId)}#rest`

/**
 * Returns the path that opens a text in any browser. The receipt is in its fragment, which no browser sends and no log has.
 */
export const privatePath = (postId: PostId, receipt: Redacted.Redacted): string =>
  `${readPath(postId)}#${Redacted.value(receipt)}`

/** Returns the path to which the form that buys a Post is sent. */
export const buyPath = (postId: PostId): string => `${readPath(postId)}/buy`

/** Returns the path of a checkout. */
export const payPath = (id: PaymentSessionId): string => `/pay/${id}`

/** The name, path and life of the one cookie of a browser that buys: its secret. */
export const BUYER_COOKIE = ["pennypress-buyer", "/", BUYER_SECONDS] as const

/**
 * The cookie of one payment. A browser that had no secret yet gets one: forms that it sends together each make a secret, and one
 * of them is kept.
 */
export const paymentCookie = (id: PaymentSessionId) =>
  ["pennypress-payment", payPath(id), PAYMENT_SECONDS] as const

const SECRET = /^[0-9A-Za-z]{43}$/

/** Returns the secret in a cookie; undefined for any other text. */
export const buyerSecretFrom = (value: Redacted.Redacted | undefined): BrowserSecret | undefined =>
  value !== undefined && SECRET.test(Redacted.value(value)) ? value : undefined

/** Returns a text as a receipt, or the private link with it; undefined if it is neither. */
export const receiptFrom = (text: string | null | undefined): Redacted.Redacted | undefined => {
  const trimmed = text?.trim().replace(/^.*#/s, "") ?? ""
  return RECEIPT.test(trimmed) ? Redacted.make(trimmed) : undefined
}

interface SavedReceipt {
  readonly siteName: string
  readonly title: string
  /** The private link of the whole text. */
  readonly url: string
  readonly receipt: Redacted.Redacted
}

/** Writes a receipt as a text file that its reader saves. */
export const receiptText = ({ receipt, siteName, title, url }: SavedReceipt): string => `${siteName} receipt

${title.replaceAll(/\s+/g, " ")}
${url}

${Redacted.value(receipt)}

To read in another browser, open the link above. Programs send the receipt as the header X-Purchase-Receipt.
Keep both to yourself: anyone who has them can read the post and add it to their account.
`
