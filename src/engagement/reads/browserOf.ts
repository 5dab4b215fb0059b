import { BROWSER_COOKIE, BROWSER_TOKEN } from "../../accounts/browser-sessions/BrowserSessions.ts"
import { copied } from "./copied.ts"

const COOKIE = new RegExp(`(?:^|; *)(?:__Host-)?${BROWSER_COOKIE}=(${BROWSER_TOKEN.source})(?:;|$)`)

/**
 * Returns the token of a browser among its cookies; undefined without a text of that form. It is a copy, because it stays in
 * memory until the next flush.
 */
export const browserOf = (cookies: string | undefined): string | undefined => {
  const token = cookies === undefined ? undefined : COOKIE.exec(cookies)?.[1]
  return token === undefined ? undefined : copied(token)
}
