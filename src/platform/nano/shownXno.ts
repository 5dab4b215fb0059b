/** Maximum number of decimals of an amount that people read. */
const XNO_DECIMALS_SHOWN = 6

/**
 * Shortens a decimal XNO text for people: with a maximum number of decimals, cut and not rounded, without zeros at the end. An amount
 * that is too small for that is shown as less than the smallest one, such as `<0.0001`. Programs take the whole amount.
 */
export const shownXno = (xno: string, decimals: number = XNO_DECIMALS_SHOWN): string => {
  const [whole = "0", fraction = ""] = xno.split(".")
  const cut = fraction.slice(0, decimals).replace(/0+$/, "")
  if (cut !== "") return `${whole}.${cut}`
  return whole === "0" && /[1-9]/.test(fraction) ? `<0.${"1".padStart(decimals, "0")}` : whole
}
