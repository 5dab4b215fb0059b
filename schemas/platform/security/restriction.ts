import { Context } from "effect"

/**
 * Annotates an operation or a procedure that a restricted account may use. Operations that read (GET) are allowed
 * without it, and procedures are not.
 */
export const AllowedWhileRestricted = Context.Reference<boolean>(
  "pennypress/schemas/platform/security/restriction/AllowedWhileRestricted",
  { defaultValue: () => false }
)
