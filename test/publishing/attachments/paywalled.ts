/** A Post that takes ZIPs. */
export const paywalled = { paidContentMarkdown: "paid", enablePaywall: true, priceXno: "1" }
