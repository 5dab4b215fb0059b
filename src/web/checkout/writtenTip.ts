import { Result, Schema } from "effect"
import { PaymentSessionDraft } from "../../../schemas/payments/sessions/PaymentSession.ts"
import { parsePriceXno, xnoOfRaw } from "../../../schemas/platform/Nano.ts"
import { LENGTHS, type SentForm } from "../../platform/http/SentForm.ts"
import { amountSentence, readAmount } from "../../platform/nano/writtenAmount.ts"

const decodeDraft = Schema.decodeUnknownOption(PaymentSessionDraft)

/** The fields of the form of a tip. */
export const TIP_FIELDS = {
  amountXno: LENGTHS.word,
  postId: LENGTHS.word,
  commentId: LENGTHS.word,
  handle: LENGTHS.line
}

/** The parameters of the page of a tip, by the fields of its form. */
const PARAMETERS = [
  ["commentId", "comment"],
  ["postId", "post"],
  ["handle", "handle"]
] as const

/** Returns the tip that a form requests: its amount as it was written, and what it is for. Empty fields are absent. */
export const writtenTip = (form: SentForm<keyof typeof TIP_FIELDS>) => {
  const valueOf = (name: keyof typeof TIP_FIELDS) => form.get(name)?.trim() || undefined
  const amount = valueOf("amountXno") ?? ""
  const named = PARAMETERS.flatMap(([name, parameter]) => {
    const value = valueOf(name)
    return value === undefined ? [] : [{ name, parameter, value }]
  })
  // The service refuses a tip without an amount.
  const amountXno = Result.getOrElse(readAmount(amount), () => "")
  return {
    amount,
    draft: decodeDraft({
      kind: "tip",
      amountXno,
      ...Object.fromEntries(named.map(({ name, value }) => [name, value]))
    }),
    target: new URLSearchParams(named.map(({ parameter, value }) => [parameter, value] as [string, string]))
  }
}

/** Returns the reason for which an amount is no tip. */
export const tipSentence = (amount: string): string =>
  Result.match(readAmount(amount), {
    onFailure: (refusal) => amountSentence("the amount", amount, refusal),
    onSuccess: (xno) =>
      Result.match(parsePriceXno(xno), {
        onFailure: (refusal) =>
          refusal.reason === "too_many_decimals"
            ? `Use at most 6 decimals, such as ${xnoOfRaw(refusal.nearestRaw)}.`
            : "Choose an amount from 0.00001 to 9999 XNO.",
        onSuccess: () => "Choose what the tip is for."
      })
  })
