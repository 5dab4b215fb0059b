import { Redacted } from "effect"

interface SavedReceipt {
  readonly title: string
  /** The address of the whole text. */
  readonly url: string
  readonly receipt: Redacted.Redacted
}

/** Writes a receipt as a text file that its reader saves. */
export const receiptText = ({ receipt, title, url }: SavedReceipt): string => `Pennypress receipt

${title.replaceAll(/\s+/g, " ")}
${url}

${Redacted.value(receipt)}

To read in another browser, open the address above and enter the receipt.
Programs send it as the header X-Purchase-Receipt. Keep it to yourself: it opens the text for everyone who has it.
`
