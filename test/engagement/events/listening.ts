import { assert } from "@effect/vitest"
import addFormats from "ajv-formats"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Effect } from "effect"
import { OpenApi } from "effect/http-api"
import { DocumentedApi } from "../../../schemas/DocumentedApi.ts"
import type { EventType } from "../../../schemas/platform/EventType.ts"
import { Dispatcher } from "../../../src/engagement/events/Dispatcher.ts"
import { TestClient } from "../../support/TestClient.ts"

/** Numbers the events that are due, as the worker does. */
export const dispatch = Effect.flatMap(Dispatcher, (dispatcher) => dispatcher.dispatch)

/** Returns the requests of a program that lists the events of an owner. */
export const listenerOf = Effect.fnUntraced(function* ({ accessToken }: { readonly accessToken: string }) {
  const client = yield* TestClient
  const list = (query: Readonly<Record<string, string>> = {}) =>
    client.send("GET", `/api/v1/events?${new URLSearchParams(query)}`, { token: accessToken })
  return {
    list,
    /** Returns a page that must be answered. */
    page: Effect.fnUntraced(function* (query: Readonly<Record<string, string>> = {}) {
      const answer = yield* list(query)
      assert.strictEqual(answer.status, 200, answer.text)
      return answer.body
    })
  }
})

const document = JSON.parse(JSON.stringify(OpenApi.fromApi(DocumentedApi)))
const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)
ajv.addSchema(document, "openapi")

/** Asserts that a body is as the `webhooks` of the OpenAPI document describe its type. */
export const assertDescribed = (body: { readonly type: EventType }) => {
  const { schema } = document.webhooks[body.type].post.requestBody.content["application/json"]
  const validate = ajv.compile({ $ref: `openapi${schema.$ref}` })
  assert.isTrue(
    validate(body),
    `${body.type}: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(body, null, 1)}`
  )
}
