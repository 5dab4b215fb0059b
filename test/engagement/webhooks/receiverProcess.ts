import { appendFileSync } from "node:fs"
import { createServer } from "node:http"

/**
 * A receiver in a process of its own: `receiverProcess.ts <file> <port>`. It writes each message into the file, then answers. It
 * prints its origin when it listens.
 */
const [file = "", port = "0"] = process.argv.slice(2)

const server = createServer((request, response) => {
  let body = ""
  request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk))
  request.on("end", () => {
    appendFileSync(
      file,
      `${JSON.stringify({ path: request.url, id: request.headers["webhook-id"], body })}\n`
    )
    response.end()
  })
})
server.listen(Number(port), "127.0.0.1", () => {
  const address = server.address()
  console.log(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`)
})
