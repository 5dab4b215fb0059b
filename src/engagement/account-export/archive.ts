import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import { Effect, Stream } from "effect"
import { Digest } from "effect/crypto"
import { Zip } from "effect/encoding"

/** Bytes of the name of a file, at most: what file systems take, with room for the id of a second file of this name. */
const NAME_BYTES_MAX = 200

/** Characters that a file system minds. */
// oxlint-disable-next-line no-control-regex -- Names must not have these.
const MINDED = /[<>:"/\\|?*\u0000-\u001f\u007f]/gu

/** Names that Windows gives to devices. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/iu

/** Returns the name of a ZIP that its author chose as one that every file system takes. */
export const safeFileName = (name: string): string => {
  const plain = name
    .normalize("NFC")
    .replaceAll(MINDED, "_")
    .replace(/^[.\s]+/u, "_")
    .replace(DEVICE, "_$&")
    .replace(/\.zip$/iu, "")
  let cut = ""
  let bytes = 0
  for (const character of plain) {
    bytes += utf8ToBytes(character).length
    if (bytes > NAME_BYTES_MAX) break
    cut += character
  }
  return `${cut.replace(/[.\s]+$/u, "")}.zip`
}

/** The files of an archive that is being written. It remembers their names and their SHA-256. */
export interface ArchiveFiles {
  /** Returns a path for a file: the wanted one or, if another file has it, one with the id of what the file is about. */
  readonly pathOf: (wanted: string, id: string) => string
  /** Returns true when a file has this path. */
  readonly has: (path: string) => boolean
  /** Returns the SHA-256 of bytes in hex. */
  readonly digestOf: (bytes: Uint8Array) => Effect.Effect<string>
  /** Returns the entry of a file that is compressed already, with its SHA-256. */
  readonly stored: (path: string, bytes: Uint8Array, sha256: string) => Zip.ContentEntry
  /** Returns the entry of a text. */
  readonly text: (path: string, content: string) => Effect.Effect<Zip.ContentEntry>
  /** Returns the entry of a text that is made while it is written. */
  readonly longText: (path: string, body: Stream.Stream<string>) => Zip.Entry
  /** Returns the SHA-256 of every file so far, as `sha256sum --check` reads them. */
  readonly checksums: () => string
}

/** Makes the files of one archive. All have the time of the export, so the same state gives the same bytes. */
export const makeArchiveFiles = (digests: Digest.Digest["Service"], mtime: Date): ArchiveFiles => {
  const taken = new Set<string>()
  const lines: Array<string> = []
  const add = (path: string, digest: string) => lines.push(`${digest}  ${path}\n`)

  return {
    pathOf: (wanted, id) => {
      const isTaken = taken.has(wanted.toLowerCase())
      const path = isTaken ? wanted.replace(/\.[a-z]+$/iu, (ending) => `-${id}${ending}`) : wanted
      taken.add(path.toLowerCase())
      return path
    },
    has: (path) => taken.has(path.toLowerCase()),
    digestOf: (bytes) => digests.digestHex(Digest.sha256, bytes),
    stored: (path, bytes, digest) => {
      add(path, digest)
      return Zip.file(path, bytes, { mtime, method: "Store" })
    },
    text: Effect.fnUntraced(function* (path, content) {
      const bytes = utf8ToBytes(content)
      add(path, yield* digests.digestHex(Digest.sha256, bytes))
      return Zip.file(path, bytes, { mtime })
    }),
    longText: (path, body) => {
      const hash = sha256.create()
      const bytes = Stream.tap(Stream.encodeText(body), (piece) => Effect.sync(() => hash.update(piece)))
      const end = Stream.fromEffectDrain(Effect.sync(() => add(path, bytesToHex(hash.digest()))))
      return Zip.fileStream(path, Stream.concat(bytes, end), { mtime })
    },
    checksums: () => lines.join("")
  }
}
