import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { type Answer, LIVE, open } from "./operations.ts"

/** The least that Node.js can do: `node:http` and `pg`, without a router or a framework. */
const operations = open("bare")
const POST_PATH = "/api/posts/"
const OWN_POST_PATH = "/api/v1/posts/"
const PROFILE_PATH = "/api/profile/"

const answer = (response: ServerResponse, status: number, body: Answer | undefined) => {
  if (body === undefined) {
    response.writeHead(404).end()
    return
  }
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body.text) }
  const isPublic = status === 200 && body.etag !== undefined
  response.writeHead(status, isPublic ? { ...headers, etag: `"${body.etag}"` } : headers).end(body.text)
}

const textOf = (request: IncomingMessage) =>
  new Promise<string>((resolve, reject) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => resolve(Buffer.concat(chunks).toString()))
    request.on("error", reject)
  })

const handle = async (request: IncomingMessage, response: ServerResponse) => {
  const [path = "", query = ""] = (request.url ?? "").split("?")
  if (path === "/health/live") {
    answer(response, 200, { text: LIVE })
  } else if (path === "/api/v1/auth/refresh") {
    const { refreshToken } = JSON.parse(await textOf(request))
    answer(response, 200, await operations.refresh(refreshToken))
  } else if (path === "/api/v1/profile") {
    answer(response, 200, await operations.profile(request.headers.authorization ?? ""))
  } else if (request.method === "POST") {
    const { authorization, "idempotency-key": key } = request.headers
    const draft = JSON.parse(await textOf(request))
    answer(response, 201, await operations.create(authorization ?? "", String(key), draft))
  } else if (request.method === "PATCH") {
    const { title } = JSON.parse(await textOf(request))
    const id = path.slice(OWN_POST_PATH.length)
    answer(response, 200, await operations.rename(request.headers.authorization ?? "", id, title))
  } else if (path.startsWith(PROFILE_PATH)) {
    answer(response, 200, await operations.publicProfile(path.slice(PROFILE_PATH.length)))
  } else if (path.startsWith(POST_PATH)) {
    answer(response, 200, await operations.post(path.slice(POST_PATH.length)))
  } else {
    const words = new URLSearchParams(query).get("q")
    answer(response, 200, await (words === null ? operations.newest() : operations.search(words)))
  }
}

const server = createServer((request, response) => {
  handle(request, response).catch((error: unknown) => {
    console.error(error)
    response.writeHead(500).end()
  })
})

server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  if (typeof address === "object") console.log(`listening on http://127.0.0.1:${address?.port}`)
})
