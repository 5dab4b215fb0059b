import { xnoOfRaw } from "../../../schemas/platform/Nano.ts"
import type { AboutPrice } from "../../platform/nano/aboutMoney.ts"
import { shownXno } from "../../platform/nano/shownXno.ts"
import { type Html, html } from "../../platform/pages/html.ts"

/** An amount in XNO for people, with the exact one in raw for programs. */
export const xno = (raw: string): Html => html`<data value="${raw}">${shownXno(xnoOfRaw(BigInt(raw)))}</data>`

/** Returns an amount in XNO with what it is worth. */
export const xnoAbout = (raw: string, about: AboutPrice): Html => {
  const worth = raw === "0" ? null : about(xnoOfRaw(BigInt(raw)))
  return html`${xno(raw)} XNO${worth !== null && `, ${worth}`}`
}

interface Earned {
  readonly sales: { readonly grossRaw: string }
  readonly tips: { readonly grossRaw: string }
}

/** Returns the sum of sales and tips. */
export const earnedRaw = ({ sales, tips }: Earned): string =>
  String(BigInt(sales.grossRaw) + BigInt(tips.grossRaw))
