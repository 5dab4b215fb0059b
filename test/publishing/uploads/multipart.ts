/** One part of a form: a file when it has a file name. */
export interface FormPart {
  readonly name: string
  readonly content: Uint8Array | string
  readonly fileName?: string
  readonly mediaType?: string
}

const BOUNDARY = "----pennypress-test-boundary"

const encoder = new TextEncoder()

/** The body of a form and the headers that go with it. */
export const multipart = (parts: ReadonlyArray<FormPart>) => {
  const pieces = parts.flatMap(({ content, fileName, mediaType, name }) => {
    const disposition = `form-data; name="${name}"${fileName === undefined ? "" : `; filename="${fileName}"`}`
    const type = mediaType === undefined ? "" : `\r\nContent-Type: ${mediaType}`
    return [
      encoder.encode(`--${BOUNDARY}\r\nContent-Disposition: ${disposition}${type}\r\n\r\n`),
      typeof content === "string" ? encoder.encode(content) : content,
      encoder.encode("\r\n")
    ]
  })
  const body = new Uint8Array(Buffer.concat([...pieces, encoder.encode(`--${BOUNDARY}--\r\n`)]))
  return {
    body,
    headers: {
      "content-type": `multipart/form-data; boundary=${BOUNDARY}`,
      "content-length": String(body.length)
    }
  }
}
