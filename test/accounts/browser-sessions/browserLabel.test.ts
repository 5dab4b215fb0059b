import { assert, describe, it } from "@effect/vitest"
import { browserLabel } from "../../../src/accounts/browser-sessions/browserLabel.ts"

const WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)"
const APPLE = "AppleWebKit/605.1.15 (KHTML, like Gecko)"
const WINDOWS = "Mozilla/5.0 (Windows NT 10.0; Win64; x64)"
const LINUX = "Mozilla/5.0 (X11; Linux x86_64)"
const MAC = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)"
const IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X)"
const ANDROID = "Mozilla/5.0 (Linux; Android 10; K)"

const rows: ReadonlyArray<readonly [userAgent: string, label: string]> = [
  [`${LINUX} ${WEBKIT} Chrome/140.0.0.0 Safari/537.36`, "Chrome on Linux"],
  [`${LINUX} ${WEBKIT} HeadlessChrome/140.0.0.0 Safari/537.36`, "Chrome on Linux"],
  [`${LINUX} ${WEBKIT} Ubuntu Chromium/80.0 Chrome/80.0 Safari/537.36`, "Chromium on Linux"],
  [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${WEBKIT} Chrome/140.0 Safari/537.36`, "Chrome on ChromeOS"],
  [`${ANDROID} ${WEBKIT} Chrome/140.0.0.0 Mobile Safari/537.36`, "Chrome on Android"],
  [
    `${ANDROID} ${WEBKIT} SamsungBrowser/28.0 Chrome/130.0 Mobile Safari/537.36`,
    "Samsung Internet on Android"
  ],
  [`${IPHONE} ${APPLE} CriOS/140.0 Mobile/15E148 Safari/604.1`, "Chrome on iOS"],
  [`${WINDOWS} ${WEBKIT} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`, "Edge on Windows"],
  [`${ANDROID} ${WEBKIT} Chrome/140.0 Mobile Safari/537.36 EdgA/140.0`, "Edge on Android"],
  [`${IPHONE} ${APPLE} Version/18.0 EdgiOS/140.0 Mobile/15E148 Safari/605.1.15`, "Edge on iOS"],
  ["Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:143.0) Gecko/20100101 Firefox/143.0", "Firefox on Windows"],
  [`${IPHONE} ${APPLE} FxiOS/143.0 Mobile/15E148 Safari/605.1.15`, "Firefox on iOS"],
  [`${MAC} ${APPLE} Version/18.5 Safari/605.1.15`, "Safari on macOS"],
  [`${IPHONE} ${APPLE} Version/18.5 Mobile/15E148 Safari/604.1`, "Safari on iOS"],
  [`${WINDOWS} ${WEBKIT} Chrome/138.0 Safari/537.36 OPR/122.0.0.0`, "Opera on Windows"],
  [`${IPHONE} ${APPLE} Version/18.5 OPT/5.0 Mobile/15E148 Safari/604.1`, "Opera on iOS"],
  [`${LINUX} ${APPLE} Version/18.0 Safari/605.1.15`, "Safari on Linux"],
  ["curl/8.14.1", "A browser"],
  ["", "A browser"]
]

describe("the name of a browser", () => {
  for (const [userAgent, label] of rows) {
    it(`The label ${label} is that of ${userAgent.slice(-48)}`, () => {
      assert.strictEqual(browserLabel(userAgent), label)
    })
  }
})
