import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { get } from "../wire/sockets.ts"
import { answerErrors, operations, requestErrors } from "./document.ts"

export interface PlainRequest {
  readonly params?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** The value of a Bearer Authorization header. */
  readonly token?: string | undefined
}

export interface PlainAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: any
}

/**
 * A client of plain `fetch` that knows a service by the OpenAPI document alone. Every answer must be as the document
 * says, and so must every request, unless it is `wrong` on purpose. `touched` collects the operations that were asked
 * for what they document.
 */
export const plainClient = (origin: string, touched = new Set<string>()) => {
  const ask = Effect.fnUntraced(function* (id: string, request: PlainRequest, isWrong: boolean) {
    const operation = operations.find(({ operationId }) => operationId === id)
    assert.isDefined(operation, `${id} is not documented`)
    const { body, headers = {}, params = {}, token } = request
    const wrong = requestErrors(operation, { params, headers, body, token })
    if (!isWrong) assert.deepStrictEqual(wrong, [], `the request of ${id}`)
    const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(params[name] ?? "")
    )
    const answer = yield* get(`${origin}${path}`, {
      method: operation.method.toUpperCase(),
      headers: {
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...headers
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
    })
    assert.deepStrictEqual(
      answerErrors(operation, answer),
      [],
      `the answer of ${id}: ${answer.status} ${answer.text}`
    )
    return {
      status: answer.status,
      headers: answer.headers,
      body: JSON.parse(answer.text)
    } satisfies PlainAnswer
  })

  return {
    /** A request as the document asks for it, which must be answered with this status; the body of the answer. */
    send: (id: string, status: number, request: PlainRequest = {}) =>
      Effect.map(ask(id, request, false), (answer) => {
        assert.strictEqual(answer.status, status, `${id}: ${JSON.stringify(answer.body)}`)
        touched.add(id)
        return answer.body
      }),
    /** The whole answer to any request, however wrong. */
    sendWrong: (id: string, request: PlainRequest = {}): Effect.Effect<PlainAnswer> => ask(id, request, true)
  }
}
