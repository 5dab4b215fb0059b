import { createServer } from "node:http"

/** Messages to different addresses or with different ids, repeats of them, and the times of the first and the last one. */
export interface Seen {
  readonly count: number
  readonly repeats: number
  readonly firstAt: number
  readonly lastAt: number
}

/**
 * Runs a receiver of webhooks in a process of its own. Each POST is read and answered with 200, except under `/hangs`, where no
 * answer comes. A GET returns what it saw, and a DELETE forgets that.
 */
const seen = new Set<string>()
let [repeats, firstAt, lastAt] = [0, 0, 0]

const server = createServer((request, response) => {
  if (request.method === "GET")
    return response.end(JSON.stringify({ count: seen.size, repeats, firstAt, lastAt } satisfies Seen))
  if (request.method === "DELETE") {
    seen.clear()
    ;[repeats, firstAt, lastAt] = [0, 0, 0]
    return response.end()
  }
  if (request.url?.startsWith("/hangs") === true) return undefined
  return request.resume().on("end", () => {
    const key = `${request.url} ${request.headers["webhook-id"]}`
    if (seen.has(key)) repeats += 1
    seen.add(key)
    lastAt = performance.now()
    if (firstAt === 0) firstAt = lastAt
    response.end()
  })
})

server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  console.log(`listening on http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`)
})
