import { randomUUID } from "node:crypto"
import { Agent, request } from "node:http"
import type { UploadTargets } from "../uploadsTargets.ts"

const BOUNDARY = "----pennypress-bench-boundary"

const before = Buffer.from(
  `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="book.zip"\r\ncontent-type: application/zip\r\n\r\n`
)
const after = Buffer.from(`\r\n--${BOUNDARY}--\r\n`)

/** Attaches ZIPs to one Post after the other, over as many connections as are needed at once. */
export const attacherTo = (url: string, targets: UploadTargets, archives: ReadonlyArray<Buffer>) => {
  const { hostname, port } = new URL(url)
  const agent = new Agent({ keepAlive: true })
  let turn = 0

  /** Attaches one ZIP. Returns its id; fails unless it is admitted. */
  const attach = () => {
    const target = targets[turn]
    const archive = archives[turn % archives.length]
    turn++
    if (target === undefined || archive === undefined)
      throw new Error("There are too few authors for so many ZIPs")
    return new Promise<string>((resolve, reject) => {
      const sending = request({
        agent,
        hostname,
        port,
        method: "POST",
        path: `/api/v1/posts/${target.postId}/attachments`,
        headers: {
          authorization: `Bearer ${target.key}`,
          "idempotency-key": randomUUID(),
          "x-post-revision": target.revision,
          "content-type": `multipart/form-data; boundary=${BOUNDARY}`,
          "content-length": before.length + archive.length + after.length
        }
      })
      sending.on("error", reject)
      sending.on("response", (response) => {
        let answer = ""
        response.setEncoding("utf8").on("data", (chunk: string) => (answer += chunk))
        response.on("error", reject)
        response.on("end", () => {
          if (response.statusCode === 202) resolve(JSON.parse(answer).attachment?.id ?? "")
          else reject(new Error(`A ZIP for ${url} was answered ${response.statusCode} ${answer}`))
        })
      })
      sending.write(before)
      sending.write(archive)
      sending.end(after)
    })
  }
  return { attach, close: () => agent.destroy() }
}
