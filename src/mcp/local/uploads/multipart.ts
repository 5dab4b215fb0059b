const encoder = new TextEncoder()

/** A body of one file, the same bytes each time it is made. */
export interface Multipart {
  readonly body: Uint8Array
  readonly contentType: string
}

/** Characters that a quoted file name cannot have. */
const UNQUOTABLE = /["\\\r\n\0]/g

/**
 * Makes the form of one file. The boundary is made from the digest of the file, so that no file contains its own
 * boundary.
 */
export const multipartOf = (file: {
  readonly bytes: Uint8Array
  readonly fileName: string
  readonly mediaType: string
  readonly sha256: string
}): Multipart => {
  const boundary = `svc-mcp-${file.sha256}`
  const head = encoder.encode(
    [
      `--${boundary}`,
      `Content-Disposition: form-data; name="file"; filename="${file.fileName.replace(UNQUOTABLE, "_")}"`,
      `Content-Type: ${file.mediaType}`,
      "",
      ""
    ].join("\r\n")
  )
  const tail = encoder.encode(`\r\n--${boundary}--\r\n`)
  const body = new Uint8Array(head.length + file.bytes.length + tail.length)
  body.set(head)
  body.set(file.bytes, head.length)
  body.set(tail, head.length + file.bytes.length)
  return { body, contentType: `multipart/form-data; boundary=${boundary}` }
}
