import { randomUUID } from "node:crypto"
import { Agent, request } from "node:http"
import type { UploadedImage } from "./uploadsImages.ts"
import type { UploadTargets } from "./uploadsTargets.ts"

const BOUNDARY = "----pennypress-bench-boundary"
const NODE_KEY = "node-1"

const before = ({ mediaType }: UploadedImage) =>
  Buffer.from(
    `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="photograph"\r\ncontent-type: ${mediaType}\r\n\r\n`
  )
const after = Buffer.from(`\r\n--${BOUNDARY}--\r\n`)

/** Sends images to one server, over as many connections as are needed at once. */
export const uploaderTo = (url: string, targets: UploadTargets, images: ReadonlyArray<UploadedImage>) => {
  const { hostname, port } = new URL(url)
  const agent = new Agent({ keepAlive: true })
  let turn = 0

  /** One image, for the Post of one author after the other; fails unless it is admitted. */
  const upload = () => {
    const target = targets[turn % targets.length]!
    const image = images[turn % images.length]!
    turn++
    const head = before(image)
    return new Promise<void>((resolve, reject) => {
      const sending = request({
        agent,
        hostname,
        port,
        method: "POST",
        path: `/api/v1/posts/${target.postId}/images`,
        headers: {
          authorization: `Bearer ${target.key}`,
          "idempotency-key": randomUUID(),
          "x-post-revision": target.revision,
          "x-upload-target-key": NODE_KEY,
          "content-type": `multipart/form-data; boundary=${BOUNDARY}`,
          "content-length": head.length + image.bytes.length + after.length
        }
      })
      sending.on("error", reject)
      sending.on("response", (response) => {
        let answer = ""
        response.setEncoding("utf8").on("data", (chunk: string) => (answer += chunk))
        response.on("error", reject)
        response.on("end", () => {
          if (response.statusCode === 202) resolve()
          else reject(new Error(`An upload to ${url} was answered ${response.statusCode} ${answer}`))
        })
      })
      sending.write(head)
      sending.write(image.bytes)
      sending.end(after)
    })
  }
  return { upload, close: () => agent.destroy() }
}
