import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { ApiKey, IssuedKey, KeyRequest } from "../../../schemas/accounts/api-keys/ApiKey.ts"
import { TestClient } from "../../support/TestClient.ts"

/** The metadata of a key on the wire (spec 2.2). */
export type KeyMetadata = typeof ApiKey.Encoded

/** The key routes (spec 4.1), called with this access token. */
export const keysOf = Effect.fnUntraced(function* (token: string) {
  const client = yield* TestClient
  const post = (path: string, body?: unknown, headers: Record<string, string> = {}) =>
    client.send("POST", `/api/v1/api-keys${path}`, {
      token,
      headers,
      ...(body === undefined ? {} : { body })
    })
  const issue = (body: unknown = {}, headers: Record<string, string> = {}) => post("", body, headers)
  return {
    issue,
    /** Issues a key; fails the test otherwise. */
    issued: (body: typeof KeyRequest.Encoded = {}) =>
      Effect.map(issue(body), (answer) => {
        assert.strictEqual(answer.status, 200, answer.text)
        return answer.body as typeof IssuedKey.Encoded
      }),
    list: Effect.map(
      client.send("GET", "/api/v1/api-keys", { token }),
      ({ body }) => body.keys as ReadonlyArray<KeyMetadata>
    ),
    revoke: (keyId: string) => post(`/${encodeURIComponent(keyId)}/revoke`),
    rotate: (keyId: string, body: unknown = {}) => post(`/${encodeURIComponent(keyId)}/rotate`, body)
  }
})

/** Returns the status of `/api/v1/me` with this Publishing key: 200 or 401. */
export const keyAccess = (key: string) =>
  Effect.map(
    Effect.flatMap(TestClient, (client) => client.send("GET", "/api/v1/me", { token: key })),
    ({ status }) => status
  )
