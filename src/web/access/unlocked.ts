import type { AccessVia } from "../../../schemas/payments/access/Access.ts"
import { REST } from "../../publishing/content/html/restMark.ts"

const BOUGHT = `<p class="state" id="rest" lang="en" dir="ltr">Unlocked. It's yours.</p>`
const GIVEN = `<p class="state" id="rest" lang="en" dir="ltr">Unlocked. This is a gift to you.</p>`

/** Says where the part for buyers begins to a reader who has it: the page leads there after a payment. */
export const withUnlocked = (html: string, via: AccessVia): string =>
  html.replace(REST, via === "author" || via === "free" ? "" : via === "gift" ? GIVEN : BOUGHT)
