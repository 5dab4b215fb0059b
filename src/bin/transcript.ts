import { Effect } from "effect"
import { HttpClient, type HttpClientRequest, type HttpClientResponse, UrlParams } from "effect/http"

/** Maximum number of lines shown of a body. */
const LINES_MAX = 24
/** Maximum number of characters shown of a string. */
const TEXT_MAX = 160

const SECRETS: ReadonlySet<string> = new Set(["accessToken", "refreshToken", "key", "token"])

const shown = (name: string, value: unknown) => {
  if (typeof value !== "string") return value
  if (SECRETS.has(name)) return `${value.slice(0, 8)}… (secret)`
  return value.length > TEXT_MAX ? `${value.slice(0, TEXT_MAX)}… (${value.length} characters)` : value
}

const pretty = (text: string) => {
  if (text === "" || text === "null") return []
  const lines = JSON.stringify(JSON.parse(text), shown, 2).split("\n")
  return lines.length > LINES_MAX
    ? [...lines.slice(0, LINES_MAX), `… (${lines.length - LINES_MAX} more lines)`]
    : lines
}

const bodyOf = (request: HttpClientRequest.HttpClientRequest) =>
  request.body._tag === "Uint8Array" ? new TextDecoder().decode(request.body.body) : ""

const isJson = ({ headers }: HttpClientResponse.HttpClientResponse) =>
  headers["content-type"]?.includes("json") !== false

/** Prints every request and its answer, with long texts cut and secrets hidden. */
export const transcribing =
  (print: (text: string) => Effect.Effect<void>) =>
  (client: HttpClient.HttpClient): HttpClient.HttpClient =>
    client.pipe(
      HttpClient.tapRequest((request) => {
        const query = UrlParams.toString(request.urlParams)
        const target = query === "" ? request.url : `${request.url}?${query}`
        return print([`\n→ ${request.method} ${target}`, ...pretty(bodyOf(request))].join("\n"))
      }),
      HttpClient.tap((response) => {
        // The bytes of a file are for the caller alone.
        if (!isJson(response)) return print(`← ${response.status}`)
        return Effect.flatMap(response.text, (text) =>
          print([`← ${response.status}`, ...pretty(text)].join("\n"))
        )
      })
    )
