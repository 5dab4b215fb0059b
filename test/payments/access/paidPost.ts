/** The paid text of the Posts of these tests. */
export const SECRET = "The **secret** of pennies."

/** A Post that costs 0.5 XNO. */
export const paidPost = {
  title: "Paid",
  paidContentMarkdown: SECRET,
  enablePaywall: true,
  priceXno: "0.5"
}
