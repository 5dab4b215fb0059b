/** Browsers from the most specific one: others name those whose pages they show, too. */
const BROWSERS: ReadonlyArray<readonly [RegExp, string]> = [
  [/\bEdg(A|iOS|e)?\//, "Edge"],
  [/\b(OPR|OPT|Opera)\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(Firefox|FxiOS)\//, "Firefox"],
  [/\bChromium\//, "Chromium"],
  [/\b((Headless)?Chrome|CriOS)\//, "Chrome"],
  [/\bSafari\//, "Safari"]
]

const SYSTEMS: ReadonlyArray<readonly [RegExp, string]> = [
  [/\bAndroid\b/, "Android"],
  [/\b(iPhone|iPad)\b/, "iOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\b(Linux|X11)\b/, "Linux"]
]

const nameIn = (names: ReadonlyArray<readonly [RegExp, string]>, text: string) =>
  names.find(([pattern]) => pattern.test(text))?.[1]

/**
 * Returns a name by which an owner recognizes a browser. The whole text, which could identify the browser, is not kept.
 */
export const browserLabel = (userAgent: string): string => {
  const browser = nameIn(BROWSERS, userAgent) ?? "A browser"
  const system = nameIn(SYSTEMS, userAgent)
  return system === undefined ? browser : `${browser} on ${system}`
}
