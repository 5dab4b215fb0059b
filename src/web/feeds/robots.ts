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
  "/unsubscribe"
]

/** Returns `/robots.txt`. Empty signals are left out. */
export const robotsText = (baseUrl: string, signals: string): string =>
  [
    "User-agent: *",
    ...(signals === "" ? [] : [`Content-Signal: ${signals}`]),
    "Allow: /",
    ...DISALLOWED.map((path) => `Disallow: ${path}`),
    "",
    `Sitemap: ${baseUrl}/sitemap.xml`,
    ""
  ].join("\n")
