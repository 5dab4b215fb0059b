import type { ForSaleRow } from "../../publishing/public-posts/catalogue.sql.ts"
import { element, type XmlElement } from "../feeds/xml.ts"
import { resourceOf } from "./catalogueItem.ts"

const NAMESPACE = "https://rslstandard.org/rsl"

/** Uses that content signals and RSL call by the same names. */
const USES: ReadonlySet<string> = new Set(["search", "ai-input", "ai-train"])

/** The use of a bought text: an agent buys it to read it. */
const READING = "ai-input"

/** Returns the uses to which these signals say yes or no. */
const usesWith = (signals: string, answer: "yes" | "no") =>
  signals
    .split(",")
    .map((it) => it.trim().split("="))
    .flatMap(([use = "", said]) => (said === answer && USES.has(use) ? [use] : []))

const usage = (name: "permits" | "prohibits", uses: ReadonlyArray<string>) =>
  uses.length > 0 && element(name, { type: "usage" }, uses.join(" "))

const sold = (url: string, place: string) =>
  element(
    "content",
    { url },
    element(
      "license",
      {},
      usage("permits", [READING]),
      element("payment", { type: "purchase" }, element("custom", {}, place))
    )
  )

/**
 * Returns the terms of use in the form of RSL 1.0. What is public is free, and its uses are those of the content signals: authors
 * state no licence. A paid text is bought by x402 where it is read. RSL has no amounts in XNO, so the 402 names the price.
 */
export const licenseOf = (
  rows: ReadonlyArray<Pick<ForSaleRow, "id">>,
  {
    base,
    signals,
    takesPayments
  }: { readonly base: string; readonly signals: string; readonly takesPayments: boolean }
): XmlElement => {
  const permitted = usesWith(signals, "yes")
  const prohibited = usesWith(signals, "no")
  const catalogue = `${base}/.well-known/x402/posts`
  const isSold = takesPayments && !prohibited.includes(READING)
  return element(
    "rsl",
    { xmlns: NAMESPACE },
    permitted.length + prohibited.length > 0 &&
      element(
        "content",
        { url: "/" },
        element(
          "license",
          {},
          usage("permits", permitted),
          usage("prohibits", prohibited),
          element("payment", { type: "free" })
        )
      ),
    ...(isSold
      ? [
          sold("/api/posts/*/access", catalogue),
          sold("/api/posts/*/attachments/", catalogue),
          ...rows.map((row) => sold(resourceOf(row, ""), resourceOf(row, base)))
        ]
      : [])
  )
}
