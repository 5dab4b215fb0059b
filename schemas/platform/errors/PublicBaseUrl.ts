import { Context } from "effect"

/**
 * Origin of every URL that the service writes, without a slash at the end. A server sets it once, from its
 * configuration; as a reference it adds no requirement to schemas and endpoints.
 */
export const PublicBaseUrl = Context.Reference<string>("pennypress/schemas/PublicBaseUrl", {
  defaultValue: () => "http://localhost:4020"
})
