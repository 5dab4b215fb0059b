import { Effect } from "effect"
import { OwnerId } from "../../../schemas/platform/Ids.ts"
import { TestClient, type TestRequest } from "../TestClient.ts"
import { signIn } from "./owner.ts"

/** Signs in the `number`th owner of a test file. Returns their id, and the requests of their session over the wire. */
export const readerOf = Effect.fnUntraced(function* (number: number) {
  const client = yield* TestClient
  const { accessToken } = yield* signIn(number)
  const send = (method: string, path: string, request: TestRequest = {}) =>
    client.send(method, path, { token: accessToken, ...request })
  const { body } = yield* send("GET", "/api/v1/me")
  return { id: OwnerId.make(body.owner.id), handle: body.owner.handle as string, accessToken, send }
})
export type Reader = Effect.Success<ReturnType<typeof readerOf>>
