/** The next request of an operation. */
export interface LoadRequest {
  readonly method: "GET" | "POST" | "PATCH" | "PUT"
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

export const get = (path: string, key?: string): LoadRequest => ({
  method: "GET",
  path,
  headers: key === undefined ? {} : bearer(key)
})

export const post = (
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {}
): LoadRequest => ({
  method: "POST",
  path,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body)
})

/** A key that does not exist. */
export const noKey = `ppk_${"0".repeat(16)}_${"0".repeat(43)}`
