/**
 * Spreadsheet programs treat a cell that begins with one of these as a formula, and run it. Some separate cells by
 * semicolons, even within quotes, and some accept the wide forms of these signs.
 */
const FORMULA = /(^|;)(?=[=+\-@\t\r\n＝＋－＠])/gu

/** Returns a cell in the form of RFC 4180. A quote mark before a formula makes it text. */
export const csvCell = (value: string): string => {
  const text = value.replaceAll(FORMULA, "$1'")
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
