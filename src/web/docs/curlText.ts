import type { Operation } from "../../../schemas/platform/openapi.ts"
import type { Placed, Resolve } from "./operationParts.ts"

type Parameter = Operation["parameters"][number]

/** Returns a word of a shell, whose quotes nothing in the text can end. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

const valueOf = ({ example, name }: Parameter) => (example === undefined ? `{${name}}` : String(example))

const isSent = ({ example, required }: Parameter) => required === true || example !== undefined

const isCredential = ({ security }: Operation) =>
  security.length > 0 && security.every((it) => Object.keys(it).length > 0)

const bodyWords = ({ requestBody }: Operation): ReadonlyArray<string> =>
  Object.entries(requestBody?.content ?? {})
    .slice(0, 1)
    .flatMap(([type, { example }]) => {
      if (type === "multipart/form-data") return ["-F 'file=@file'"]
      if (example === undefined) return []
      return [`-H ${quoted(`Content-Type: ${type}`)}`, `-d ${quoted(JSON.stringify(example, null, 2))}`]
    })

/** Returns the example of a request as a command of a shell. It reads the credential from a variable. */
export const curlText = (
  { method, operation, path }: Placed,
  { baseUrl, resolve }: { readonly baseUrl: string; readonly resolve: Resolve }
): string => {
  const sent = operation.parameters.map(resolve).filter(isSent)
  const inPlace = (place: string) => sent.filter((it) => it.in === place)
  const filled = inPlace("path").reduce(
    (text, it) => text.replace(`{${it.name}}`, () => encodeURIComponent(valueOf(it))),
    path
  )
  const query = inPlace("query").map((it) => `${it.name}=${encodeURIComponent(valueOf(it))}`)
  const url = [filled, ...(query.length === 0 ? [] : [query.join("&")])].join("?")
  return [
    `curl ${method === "get" ? "" : `-X ${method.toUpperCase()} `}${quoted(`${baseUrl}${url}`)}`,
    ...(isCredential(operation) ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...inPlace("header").map((it) => `-H ${quoted(`${it.name}: ${valueOf(it)}`)}`),
    ...bodyWords(operation)
  ].join(" \\\n  ")
}
