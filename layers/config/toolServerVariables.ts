import { Config, Schema } from "effect"
import { variable } from "./variable.ts"

const ANY = "*"

const isOrigin = (text: string) => {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === text
}

const itemsOf = (text: string) => text.split(",").map((item) => item.trim())

const Origins = Schema.String.check(
  Schema.makeFilter((text: string) => itemsOf(text).every((item) => item === ANY || isOrigin(item)), {
    expected: "origins separated by commas, such as https://chat.example, or *"
  })
)

/** Variables of the tool server. */
export const toolServerVariables = {
  MCP_ALLOWED_ORIGINS: variable(
    Config.schema(Origins, "MCP_ALLOWED_ORIGINS").pipe(
      Config.map(itemsOf),
      Config.withDefault<ReadonlyArray<string>>([])
    ),
    "none",
    "Origins of web pages that may use `/mcp` in addition to `PUBLIC_BASE_URL`, `https://chat.example`, separated by commas; `*` allows all, if `PUBLIC_BASE_URL` is https"
  )
} as const

/**
 * Returns the problems of these variables together with an origin. A page could reach a service of this machine by its
 * name.
 */
export const toolServerProblems = (
  values: Readonly<Record<string, unknown>>,
  baseUrl: string
): ReadonlyArray<string> => {
  const origins = values["MCP_ALLOWED_ORIGINS"]
  return Array.isArray(origins) && origins.includes(ANY) && !baseUrl.startsWith("https:")
    ? ["  MCP_ALLOWED_ORIGINS: * needs an https PUBLIC_BASE_URL; list the origins instead"]
    : []
}
