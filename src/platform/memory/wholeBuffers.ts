/** Returns the buffers that belong to one part alone. */
export const wholeBuffers = (parts: ReadonlyArray<Uint8Array>): ReadonlyArray<ArrayBuffer> =>
  parts.flatMap(({ buffer, byteLength }) =>
    buffer instanceof ArrayBuffer && buffer.byteLength === byteLength && byteLength > 0 ? [buffer] : []
  )
