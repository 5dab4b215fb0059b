import type { NanoAddress } from "../../../schemas/platform/Nano.ts"
import type { PaymentTarget } from "../settlement/PaymentTarget.ts"

/** The terms that a quote binds. */
export interface Terms {
  readonly target: PaymentTarget
  readonly amountRaw: bigint
  readonly payTo: NanoAddress
}

/** Terms with a name that makes their quote unique. */
export interface QuotedTerms extends Terms {
  /** The digits that name the quote. */
  readonly name: string
  readonly network: string
  /** Unix time in seconds. */
  readonly validBefore: number
}

const linesOf = (target: PaymentTarget) =>
  target.kind === "purchase"
    ? [target.kind, target.postId]
    : [target.kind, target.postId ?? "", target.commentId ?? "", target.recipientId]

/** Returns the text that the service signs: a line for each term, so that two quotes never share a text. */
export const textOfTerms = ({ amountRaw, name, network, payTo, target, validBefore }: QuotedTerms): string =>
  ["quote/1", name, network, ...linesOf(target), amountRaw, payTo, validBefore].join("\n")
