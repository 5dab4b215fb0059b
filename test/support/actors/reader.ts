import { Effect } from "effect"
import { succeeding } from "../derivedClient.ts"
import { TestClient, type TestRequest } from "../TestClient.ts"
import { signIn } from "./owner.ts"

/** Signs in the `number`th owner of a test file. Returns their id, and the requests of their session over the wire. */
export const readerOf = Effect.fnUntraced(function* (number: number) {
  const client = yield* TestClient
  const { accessToken } = yield* signIn(number)
  const send = (method: string, path: string, request: TestRequest = {}) =>
    client.send(method, path, { token: accessToken, ...request })
  const succeed = yield* succeeding(accessToken)
  const { owner } = yield* succeed(({ me }) => me.read())
  return { id: owner.id, handle: owner.handle, accessToken, send, succeed }
})
export type Reader = Effect.Success<ReturnType<typeof readerOf>>
