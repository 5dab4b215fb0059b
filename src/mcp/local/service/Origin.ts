import { Context } from "effect"

/** The origin of the service that every request goes to, such as `https://pennypress.example`. */
export class Origin extends Context.Service<Origin, string>()("pennypress/mcp/local/service/Origin") {}

const LOOPBACK = /^(localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** Returns true for the name or address of this machine. */
export const isLoopback = (origin: string): boolean => LOOPBACK.test(new URL(origin).hostname)

/** Returns the origin that a text names: of https, or of http on this machine. Undefined for any other text. */
export const parseOrigin = (text: string): string | undefined => {
  const url = URL.parse(text)
  if (url === null || url.username !== "" || url.password !== "") return undefined
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "") return undefined
  const isSafe = url.protocol === "https:" || (url.protocol === "http:" && LOOPBACK.test(url.hostname))
  return isSafe ? url.origin : undefined
}
