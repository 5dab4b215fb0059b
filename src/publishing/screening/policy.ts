/**
 * The screening policy and its limits: what is inspected, what is looked for and how much of an image may be decoded.
 * Whoever changes one of these gives it a new name, as receipts and verdicts are kept under it.
 */
const POLICY_VERSION = "2026-11-1"

/** The policy that this process screens under: one without a scanner says so (specification 2.8). */
export const policyVersionOf = (scanner: { readonly kind: "scanner" | "none" }): string =>
  scanner.kind === "scanner" ? POLICY_VERSION : `${POLICY_VERSION}+scanner-none`
