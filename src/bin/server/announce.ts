import { resolve } from "node:path"
import { Console, Effect, Option } from "effect"
import type { Environment } from "../../../layers/config/environment.ts"

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[?::1\]?)$/

/** Returns true when others can connect, but the URLs in answers name only this machine. */
const isUnreachable = ({ HOST, PUBLIC_BASE_URL }: Environment) =>
  LOOPBACK.test(new URL(PUBLIC_BASE_URL).hostname) && !LOOPBACK.test(HOST)

/** Prints the address at which the service listens, and the place of its data. */
export const announce = Effect.fnUntraced(function* (environment: Environment, address: string) {
  yield* Console.log(`pennypress listening on ${address}`)
  yield* Console.log(
    Option.isSome(environment.DATABASE_URL)
      ? "The data is in the database of DATABASE_URL"
      : `The data is in ${resolve(environment.PENNYPRESS_DATA)}`
  )
  if (isUnreachable(environment)) {
    yield* Effect.logWarning(
      "PUBLIC_BASE_URL is an address of this machine, and HOST is not: set it to the origin that clients use",
      { baseUrl: environment.PUBLIC_BASE_URL }
    )
  }
  yield* Console.log(`Read the API at ${address}/docs, or let \`npm run demo\` publish a Post`)
})
