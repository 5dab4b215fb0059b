import { Option, Redacted } from "effect"
import type { Environment } from "../config/environment.ts"

const ledgerOf = ({ NANO_LEDGER, NANO_NETWORK }: Environment) => {
  if (NANO_LEDGER === "off") return null
  return NANO_LEDGER === "development" ? "the development ledger" : `nodes of ${NANO_NETWORK}`
}

/** Names a Redis without its credentials. */
const redisOf = (url: Redacted.Redacted) => {
  const { hostname, pathname, port } = new URL(Redacted.value(url))
  return `${hostname}:${port === "" ? "6379" : port}${pathname === "/" ? "" : pathname}`
}

/** Returns the settings that the processes of one database compare, except the secret and the store. */
export const sharedSettings = (environment: Environment) => ({
  baseUrl: environment.PUBLIC_BASE_URL,
  ledger: ledgerOf(environment),
  redis: Option.getOrNull(Option.map(environment.REDIS_URL, redisOf))
})
