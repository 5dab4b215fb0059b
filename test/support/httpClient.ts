import { Effect } from "effect"
import { TestClient, type TestRequest } from "./TestClient.ts"

const ask = async (url: string, method: string, { body, headers = {}, token }: TestRequest) => {
  const isBytes = body instanceof Uint8Array
  const sent = isBytes || typeof body === "string" ? body : JSON.stringify(body)
  const response = await fetch(url, {
    method,
    headers: {
      connection: "close",
      ...(body === undefined || isBytes ? {} : { "content-type": "application/json" }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers
    },
    ...(body === undefined ? {} : { body: sent as string | Uint8Array<ArrayBuffer> })
  })
  const text = await response.text()
  const { headers: received, status } = response
  const isJson = received.get("content-type")?.includes("json") === true
  return { status, headers: received, text, body: isJson ? JSON.parse(text) : undefined }
}

/** Sends to a process over HTTP, in place of its routes. A request that a kill cuts off dies. */
export const clientOf = (origin: string) =>
  TestClient.of({
    send: (method, path, request = {}) => Effect.promise(() => ask(`${origin}${path}`, method, request))
  })
