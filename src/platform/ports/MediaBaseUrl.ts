import { Context } from "effect"

/** Where public images are, without a trailing slash: an origin in front of the service, or its own when undefined. */
export const MediaBaseUrl = Context.Reference<string | undefined>("pennypress/platform/ports/MediaBaseUrl", {
  defaultValue: () => undefined
})
