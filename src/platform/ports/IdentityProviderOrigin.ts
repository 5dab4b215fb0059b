import { Context } from "effect"

/**
 * Where confirmation links lead, without a trailing slash: the origin of an identity provider in front of the service,
 * or that of the service itself when it is undefined.
 */
export const IdentityProviderOrigin = Context.Reference<string | undefined>(
  "pennypress/platform/ports/IdentityProviderOrigin",
  { defaultValue: () => undefined }
)
