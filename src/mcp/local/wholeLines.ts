import { Effect, type Stdio, Stream } from "effect"
import { isTooDeep } from "../../../schemas/platform/jsonBounds.ts"
import { isObject, type JsonObject } from "../messages.ts"
import { withoutNullArguments } from "../nullArguments.ts"

/** Maximum number of bytes of one message. */
const LINE_BYTES_MAX = 4 * 1024 * 1024

/** Returns a call with its arguments as its tool takes them, and any other message as it is. */
type ReadArguments = (message: JsonObject) => JsonObject

const NEWLINE = 10
const utf8 = new TextDecoder("utf-8", { fatal: true })

const REFUSAL = `${JSON.stringify({
  jsonrpc: "2.0",
  id: null,
  error: { code: -32700, message: "Send one message of JSON on each line, of at most 4 MiB" }
})}\n`

/** Returns the line of a message for the library; undefined for a line that is not JSON. */
const messageOf = (bytes: Uint8Array, readArguments: ReadArguments) => {
  if (isTooDeep(bytes)) return undefined
  try {
    const message: unknown = JSON.parse(utf8.decode(bytes))
    const complete = withoutNullArguments(message)
    const cleaned = isObject(complete) ? readArguments(complete) : complete
    return cleaned === message ? bytes : new TextEncoder().encode(JSON.stringify(cleaned))
  } catch {
    return undefined
  }
}

const isBlank = (bytes: Uint8Array) => bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)

const joined = (parts: ReadonlyArray<Uint8Array>) => {
  const bytes = new Uint8Array(parts.reduce((size, part) => size + part.length, 0))
  let place = 0
  for (const part of parts) {
    bytes.set(part, place)
    place += part.length
  }
  return bytes
}

/** Splits bytes into lines. A line above the bound is dropped while it arrives, and becomes undefined at its end. */
class Lines {
  #parts: Array<Uint8Array> = []
  #size = 0

  readonly push = (chunk: Uint8Array): ReadonlyArray<Uint8Array | undefined> => {
    const lines: Array<Uint8Array | undefined> = []
    let begin = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, begin)) {
      this.#add(chunk.subarray(begin, end))
      lines.push(this.#take())
      begin = end + 1
    }
    this.#add(chunk.subarray(begin))
    return lines
  }

  /** Returns the last line, which may lack its end. */
  readonly rest = (): ReadonlyArray<Uint8Array | undefined> => (this.#size === 0 ? [] : [this.#take()])

  #add(part: Uint8Array) {
    this.#size += part.length
    if (this.#size > LINE_BYTES_MAX) this.#parts = []
    else this.#parts.push(part)
  }

  #take() {
    const line = this.#size > LINE_BYTES_MAX ? undefined : joined(this.#parts)
    this.#parts = []
    this.#size = 0
    return line
  }
}

/**
 * Returns standard input and output for the library, which gets only whole lines of JSON. Any other line is answered
 * with a parse error: in the library it would spoil the messages after it, and a line above 16 MiB would silence the
 * server.
 */
export const wholeLines = (
  stdio: Stdio.Stdio,
  readArguments: ReadArguments = (message) => message
): Stdio.Stdio => {
  const refuse = Stream.run(Stream.succeed(REFUSAL), stdio.stdout({ endOnDone: false })).pipe(Effect.ignore)

  const passed = (line: Uint8Array | undefined) => {
    if (line !== undefined && isBlank(line)) return Effect.succeed([])
    const message = line === undefined ? undefined : messageOf(line, readArguments)
    if (message === undefined) return Effect.as(refuse, [])
    return Effect.succeed([joined([message, Uint8Array.of(NEWLINE)])])
  }

  const stdin = Stream.suspend(() => {
    const lines = new Lines()
    const each = (found: ReadonlyArray<Uint8Array | undefined>) =>
      Stream.fromIterable(found).pipe(Stream.mapEffect(passed), Stream.flatMap(Stream.fromIterable))
    return Stream.concat(
      Stream.flatMap(stdio.stdin, (chunk) => each(lines.push(chunk))),
      Stream.suspend(() => each(lines.rest()))
    )
  })
  return { ...stdio, stdin }
}
