import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { inlined } from "../inlined.ts"
import { ask, tokensOf } from "./ask.ts"

/** The values that a caller has when it calls an operation. */
interface Known {
  /** Values by the names that parameters and members have in the document. */
  readonly values?: Readonly<Record<string, unknown>>
  readonly token?: string | undefined
  /** The status that the caller expects; a success of the document without it. */
  readonly status?: number
}

/** A client that knows a service by the documents of tags alone, and reads those that it needs. */
export const documentsClient = (origin: string) => {
  const documents = new Map<string, any>()
  let tokens = 0

  const read = Effect.fnUntraced(function* (tag: string) {
    if (!documents.has(tag)) {
      const { body, text } = yield* ask(`${origin}/openapi/${tag}.json`, {})
      tokens += tokensOf(text)
      documents.set(tag, inlined(body))
    }
    return documents.get(tag)
  })

  const operationOf = Effect.fnUntraced(function* (tag: string, id: string) {
    const document = yield* read(tag)
    const all = Object.entries<any>(document.paths).flatMap(([path, methods]) =>
      Object.entries<any>(methods).map(([method, operation]) => ({ path, method, operation }))
    )
    const found = all.find(({ operation }) => operation.operationId === id)
    assert.isDefined(found, `${tag} has no ${id}`)
    return { document, ...found }
  })

  return {
    tokens: () => tokens,
    tags: () => [...documents.keys()],
    /** The text of an operation about a parameter of its, or about itself. */
    textOf: (tag: string, id: string, parameter?: string): Effect.Effect<string> =>
      Effect.map(operationOf(tag, id), ({ operation }) =>
        parameter === undefined
          ? operation.description
          : operation.parameters.find(({ name }: any) => name === parameter)?.description
      ),
    /** Sends the request that the document shows as an example, with the values that the caller knows in their places. */
    call: Effect.fnUntraced(function* (tag: string, id: string, { status, token, values = {} }: Known = {}) {
      const { document, method, operation, path } = yield* operationOf(tag, id)
      const headers = new Headers()
      let target = path
      for (const { example, in: place, name, required } of operation.parameters) {
        const value = values[name] ?? (required ? example : undefined)
        if (value === undefined) continue
        if (place === "path") target = target.replace(`{${name}}`, encodeURIComponent(String(value)))
        if (place === "header") headers.set(name, String(value))
        if (place === "query")
          target += `${target.includes("?") ? "&" : "?"}${name}=${encodeURIComponent(String(value))}`
      }
      const schemes = operation.security.flatMap((it: object) => Object.keys(it))
      if (token !== undefined) {
        assert.isNotEmpty(schemes, `${id} takes no credential`)
        assert.strictEqual(document.components.securitySchemes[schemes[0]].scheme, "bearer")
        headers.set("authorization", `Bearer ${token}`)
      }
      const content = operation.requestBody?.content["application/json"]
      const shown = content?.schema.$ref?.split("/").at(-1)
      const { properties = {} } =
        content === undefined ? {} : (document.components.schemas[shown] ?? content.schema)
      const own = Object.entries(values).filter(([name]) => name in properties)
      if (content !== undefined) headers.set("content-type", "application/json")
      const answer = yield* ask(`${origin}${target}`, {
        method: method.toUpperCase(),
        headers,
        ...(content === undefined
          ? {}
          : { body: JSON.stringify({ ...content.example, ...Object.fromEntries(own) }) })
      })
      const what = `${id}: ${answer.status} ${answer.text}`
      assert.property(operation.responses, String(answer.status), what)
      if (status === undefined) assert.isBelow(answer.status, 300, what)
      else assert.strictEqual(answer.status, status, what)
      return answer.body
    })
  }
}
