/**
 * The version of the screening policy: its stages, and the limits of decoding images and of unpacking ZIPs. A change of either
 * needs a new version, because operations and verdicts record it.
 */
const POLICY_VERSION = "2026-11-2"

/** Returns the policy that this process screens under. The name tells of a process without a scanner (spec 2.8). */
export const policyVersionOf = (scanner: { readonly kind: "scanner" | "none" }): string =>
  scanner.kind === "scanner" ? POLICY_VERSION : `${POLICY_VERSION}+scanner-none`
