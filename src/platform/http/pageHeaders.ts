import type { SiteView } from "../pages/Site.ts"

/** Seconds for which browsers use HTTPS alone: a year. */
const SECURE_SECONDS = 31_536_000

const policyOf = ({ mediaOrigin }: SiteView) =>
  [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    ["img-src 'self'", mediaOrigin, "https: data:"].filter((it) => it !== undefined).join(" "),
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "manifest-src 'self'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'"
  ].join("; ")

/** Returns the headers that every page has: what it may load, and what it may do. */
export const pageHeadersOf = (site: SiteView): Readonly<Record<string, string>> => ({
  "content-security-policy": policyOf(site),
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=()",
  ...(site.baseUrl.startsWith("https:") ? { "strict-transport-security": `max-age=${SECURE_SECONDS}` } : {})
})

export const LICENSE_PATH = "/license.xml"

/** Media type of terms of use in the form of RSL. */
export const LICENSE_TYPE = "application/rsl+xml"

/** Returns the link of a public text to the terms of its use; none on a site that states none. */
export const licenseLinkOf = ({
  baseUrl,
  hasLicense
}: Pick<SiteView, "baseUrl" | "hasLicense">): ReadonlyArray<string> =>
  hasLicense ? [`<${baseUrl}${LICENSE_PATH}>; rel="license"; type="${LICENSE_TYPE}"`] : []
