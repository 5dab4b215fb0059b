import { hexToBytes } from "@noble/hashes/utils.js"
import { Base64 } from "effect/encoding"
import { contentRangeOf, type SatisfiableRange } from "../../publishing/public-images/byteRange.ts"
import type { ReadyFile } from "./Attachments.ts"

/** Characters that the extended form of a parameter has as they are (RFC 8187). */
const percentEncoded = (name: string) =>
  encodeURIComponent(name).replace(/['()*]/gu, (it) => `%${it.charCodeAt(0).toString(16).toUpperCase()}`)

/**
 * Returns the name for clients that know only ASCII. Some of them would decode a percent sign (RFC 6266, appendix D).
 */
const asciiOf = (name: string) => name.replace(/[^ !#$&-[\]-~]/gu, "_")

const contentDisposition = (fileName: string): string =>
  `attachment; filename="${asciiOf(fileName)}"; filename*=UTF-8''${percentEncoded(fileName)}`

export const etagOf = ({ sha256 }: ReadyFile): string => `"${sha256}"`

/** Returns the headers of a download: private, never shown in a page, and with the digest of the whole file. */
export const downloadHeaders = (file: ReadyFile, range: SatisfiableRange | undefined) => ({
  "accept-ranges": "bytes",
  "cache-control": "private, no-store",
  "content-disposition": contentDisposition(file.fileName),
  "content-security-policy": "default-src 'none'; sandbox",
  "x-content-type-options": "nosniff",
  etag: etagOf(file),
  "repr-digest": `sha-256=:${Base64.encode(hexToBytes(file.sha256))}:`,
  ...(range === undefined ? {} : { "content-range": contentRangeOf(range, file.byteSize) })
})
