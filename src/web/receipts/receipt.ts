import { Redacted } from "effect"
import type { PostId } from "../../../schemas/platform/Ids.ts"

/** Seconds for which a browser keeps a receipt: a year. */
const RECEIPT_SECONDS = 365 * 24 * 60 * 60

const RECEIPT = /^ppr_[0-9A-Za-z]{22}_[0-9A-Za-z]{43}$/

/** Returns the path of the text that a browser has bought. */
export const readPath = (postId: PostId): string => `/read/${postId}`

/** Returns the path to which the form that buys a Post is sent. The receipt of an earlier purchase travels there. */
export const buyPath = (postId: PostId): string => `${readPath(postId)}/buy`

/** The name, path and life of the cookie with the receipt of a Post. */
export const receiptCookie = (postId: PostId) =>
  ["pennypress-receipt", readPath(postId), RECEIPT_SECONDS] as const

/** Returns a text as a receipt; undefined if it is not one. */
export const receiptFrom = (text: string | null | undefined): Redacted.Redacted | undefined => {
  const trimmed = text?.trim() ?? ""
  return RECEIPT.test(trimmed) ? Redacted.make(trimmed) : undefined
}

interface SavedReceipt {
  readonly siteName: string
  readonly title: string
  /** The address of the whole text. */
  readonly url: string
  readonly receipt: Redacted.Redacted
}

/** Writes a receipt as a text file that its reader saves. */
export const receiptText = ({ receipt, siteName, title, url }: SavedReceipt): string => `${siteName} receipt

${title.replaceAll(/\s+/g, " ")}
${url}

${Redacted.value(receipt)}

To read in another browser, open the address above and enter this receipt.
Programs send it as the header X-Purchase-Receipt. Keep it to yourself: anyone who has it can read the post.
`
