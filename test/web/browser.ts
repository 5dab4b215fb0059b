import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { type FormPart, multipart } from "../publishing/uploads/multipart.ts"
import { TestClient, type TestRequest } from "../support/TestClient.ts"

/**
 * A browser: it keeps cookies by name and path, says where its forms come from, and sends a form again where a 307 leads
 * it.
 */
export const browser = Effect.gen(function* () {
  const client = yield* TestClient
  const jar = new Map<string, { readonly path: string; readonly name: string; readonly value: string }>()

  let place: Pick<TestRequest, "from" | "headers"> = {}

  const isUnder = (path: string, at: string) => path === "/" || at === path || at.startsWith(`${path}/`)

  const send = Effect.fnUntraced(function* (
    method: string,
    target: string,
    {
      body,
      headers = {}
    }: { readonly body?: string | Uint8Array; readonly headers?: Readonly<Record<string, string>> } = {}
  ) {
    const at = target.replace(/[?#].*$/, "")
    const cookies = [...jar.values()].filter(({ path }) => isUnder(path, at))
    const answer = yield* client.send(method, target, {
      ...place,
      headers: {
        ...place.headers,
        accept: "text/html,application/xhtml+xml",
        ...(cookies.length === 0
          ? {}
          : { cookie: cookies.map(({ name, value }) => `${name}=${value}`).join("; ") }),
        ...(method === "POST"
          ? { "sec-fetch-site": "same-origin", "content-type": "application/x-www-form-urlencoded" }
          : {}),
        ...headers
      },
      ...(body === undefined ? {} : { body })
    })
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      const path = /; Path=([^;]+)/.exec(cookie)?.[1] ?? "/"
      assert.match(cookie, /; HttpOnly/)
      assert.match(cookie, /; Secure/)
      assert.match(cookie, /; SameSite=Lax/)
      assert.match(name, path === "/" ? /^__Host-/ : /^__Secure-/)
      if (value === "") jar.delete(`${name} ${path}`)
      else jar.set(`${name} ${path}`, { name, path, value })
    }
    return answer
  })

  return {
    jar,
    send,
    /** Sends all further requests from this address, with these headers. */
    comesFrom: (other: Pick<TestRequest, "from" | "headers">) => {
      place = other
    },
    get: (target: string, headers: Readonly<Record<string, string>> = {}) => send("GET", target, { headers }),
    /** Sends a form with a file, which is its last part unless more parts are given. */
    postParts: (
      target: string,
      fields: Readonly<Record<string, string>>,
      files: ReadonlyArray<FormPart>,
      headers: Readonly<Record<string, string>> = {}
    ) => {
      const parts = Object.entries(fields).map(([name, content]) => ({ name, content }))
      const form = multipart([...parts, ...files])
      return send("POST", target, { body: form.body, headers: { ...form.headers, ...headers } })
    },
    /** Sends a form, of fields or as it is encoded. */
    post: Effect.fnUntraced(function* (
      target: string,
      fields: Readonly<Record<string, string>> | string = {},
      headers: Readonly<Record<string, string>> = {}
    ) {
      const body = typeof fields === "string" ? fields : new URLSearchParams(fields).toString()
      const form = { body, headers }
      const answer = yield* send("POST", target, form)
      const on = answer.status === 307 ? answer.headers.get("location") : null
      return on === null ? answer : yield* send("POST", on, form)
    })
  }
})
export type Browser = Effect.Success<typeof browser>

/** Asserts that a page is for one reader alone. */
export const assertPrivate = ({ headers }: { readonly headers: Headers }) => {
  assert.strictEqual(headers.get("cache-control"), "private, no-store")
  assert.strictEqual(headers.get("referrer-policy"), "same-origin")
  assert.strictEqual(headers.get("x-robots-tag"), "noindex")
  assert.isNull(headers.get("access-control-allow-origin"))
  assert.match(headers.get("content-security-policy") ?? "", /default-src 'none'.*form-action 'self'/)
}
