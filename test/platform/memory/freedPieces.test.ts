import { Readable } from "node:stream"
import * as NodeMultipart from "@effect/platform-node/NodeMultipart"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { freedPieces } from "../../../src/platform/memory/freedPieces.ts"

const BOUNDARY = "----a-boundary-of-a-form"
const DELIMITER = Buffer.from(`\r\n--${BOUNDARY}`)
const MEBIBYTE = 1024 * 1024

/** A file that has the beginning of a delimiter, in every length, wherever it is cut. */
const content = () => {
  const parts: Array<Buffer> = []
  for (let size = 0, n = 0; size < 2 * MEBIBYTE; n++) {
    const part = DELIMITER.subarray(0, 1 + (n % (DELIMITER.length - 1)))
    parts.push(part, Buffer.from([n % 8]))
    size += part.length + 1
  }
  return Buffer.concat(parts)
}

const formOf = (file: Buffer) =>
  Buffer.concat([
    Buffer.from(`--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n`),
    file,
    DELIMITER,
    Buffer.from("--\r\n")
  ])

/** Cuts bytes into pieces of such sizes in turn, each in memory of its own, as a socket has them. */
const cut = function* (bytes: Buffer, sizes: ReadonlyArray<number>) {
  for (let at = 0, n = 0; at < bytes.length; n++) {
    const piece = Buffer.from(new Uint8Array(bytes.subarray(at, at + (sizes[n % sizes.length] ?? 1))))
    at += piece.length
    yield piece
  }
}

describe("pieces that are freed once they are read", () => {
  it.effect("have their bytes until then, and none afterwards", () =>
    Effect.gen(function* () {
      const pieces = [Uint8Array.of(1, 2), Uint8Array.of(3), Uint8Array.of(4, 5)]
      const read: Array<number> = []
      const stream = freedPieces(Stream.rechunk(Stream.fromIterable(pieces), 1))
      yield* Stream.runForEach(stream, (piece) => Effect.sync(() => read.push(...piece)))
      assert.deepStrictEqual(read, [1, 2, 3, 4, 5])
      assert.deepStrictEqual(
        pieces.map(({ length }) => length),
        [0, 0, 2]
      )
    })
  )

  it.effect("have their bytes until all pieces that came with them are read", () =>
    Effect.gen(function* () {
      const read: Array<number> = []
      const pieces = Stream.fromArray([Uint8Array.of(1), Uint8Array.of(2), Uint8Array.of(3)])
      yield* Stream.runForEach(freedPieces(pieces), (piece) => Effect.sync(() => read.push(...piece)))
      assert.deepStrictEqual(read, [1, 2, 3])
    })
  )

  /** Reads the file of a form that comes in such pieces. */
  const fileIn = Effect.fnUntraced(function* (pieces: ReadonlyArray<Buffer>) {
    const headers = { "content-type": `multipart/form-data; boundary=${BOUNDARY}` }
    const received: Array<Buffer> = []
    yield* Stream.runForEach(NodeMultipart.stream(Readable.from(pieces), headers), (part) =>
      part._tag === "Field"
        ? Effect.void
        : Stream.runForEach(freedPieces(part.content), (piece) =>
            Effect.sync(() => received.push(Buffer.from(piece)))
          )
    )
    return Buffer.concat(received)
  })

  for (const sizes of [[65_536], [1, 7, 4096], [65_536, 3, 30_000, 1], [16_411]])
    it.effect(`are those of a file in a form, cut into ${sizes.join(", ")} bytes`, () =>
      Effect.gen(function* () {
        const file = content()
        // The parser keeps the end of a piece that may be the beginning of a delimiter.
        assert.isTrue((yield* fileIn([...cut(formOf(file), sizes)])).equals(file))
      })
    )

  it.effect("are nearly all pieces of a form", () =>
    Effect.gen(function* () {
      const pieces = [...cut(formOf(Buffer.alloc(2 * MEBIBYTE, "x")), [65_536])]
      yield* fileIn(pieces)
      assert.isAtLeast(pieces.filter(({ length }) => length === 0).length, pieces.length - 3)
    })
  )
})
