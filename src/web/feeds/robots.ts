import { LICENSE_PATH } from "../../platform/http/pageHeaders.ts"

/** Paths that robots leave alone: they are private, or change something. */
const DISALLOWED = [
  "/pay",
  "/read",
  "/gift",
  "/give",
  "/tip",
  "/respond",
  "/react",
  "/follow",
  "/feeds/following",
  "/report",
  "/write",
  "/desk",
  "/payout",
  "/profile",
  "/sign-in",
  "/sign-out",
  "/sign-up",
  "/auth",
  "/subscriptions",
  "/unsubscribe"
]

/** Returns `/robots.txt`. Empty signals are left out, and terms of use with them. */
export const robotsText = (baseUrl: string, signals: string): string =>
  [
    "User-agent: *",
    ...(signals === "" ? [] : [`Content-Signal: ${signals}`]),
    "Allow: /",
    ...DISALLOWED.map((path) => `Disallow: ${path}`),
    "",
    ...(signals === "" ? [] : [`License: ${baseUrl}${LICENSE_PATH}`]),
    `Sitemap: ${baseUrl}/sitemap.xml`,
    ""
  ].join("\n")
