import { Effect, Stream } from "effect"
import { Xml } from "effect/encoding"
import { htmlText, htmlTree } from "../../conversion/html/htmlTree.ts"
import { type ImportFailure, type ImportFile, ImportFailure as Failure } from "../../ImportedItem.ts"
import { failure } from "../item/failures.ts"

/** Bytes of one file, characters of one element or text, and levels, at most. */
const FILE_BYTES_MAX = 512 * 1024 * 1024
const TEXT_CHARS_MAX = 8 * 1024 * 1024
const LEVELS_MAX = 64
const CHUNK_BYTES = 256 * 1024

/** An element of the channel with its texts and children by their names. */
export interface WxrElement {
  readonly name: string
  readonly text: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: ReadonlyArray<WxrElement>
}

const elementOf = ({ attributes, children, name }: Xml.Element): WxrElement => ({
  name,
  attributes,
  text: children.filter((it) => typeof it === "string").join(""),
  children: children.flatMap((it) => (typeof it === "string" ? [] : [elementOf(it)]))
})

/** Returns the text of the first child of this name. */
export const child = (element: WxrElement, name: string): string =>
  element.children.find((it) => it.name === name)?.text.trim() ?? ""

/** Returns the values that a post has for names of its author's plugins. */
export const metaOf = (item: WxrElement): ReadonlyMap<string, string> =>
  new Map(
    item.children
      .filter(({ name }) => name === "wp:postmeta")
      .map((meta) => [child(meta, "wp:meta_key"), child(meta, "wp:meta_value")])
  )

const XML_NAMES: ReadonlySet<string> = new Set(["lt", "gt", "amp", "apos", "quot"])

/** Characters that XML cannot have. */
const CONTROLS = /[\p{Cc}\uFFFE\uFFFF]/gu

/** Makes a function that replaces the names of HTML's characters, which XML does not know, and removes controls. */
const readable = () => {
  const characters = new Map<string, string>()
  const characterOf = (name: string) => {
    const known = characters.get(name)
    if (known !== undefined) return known
    const text = htmlText(htmlTree(`&${name};`).nodes)
    const character = text === `&${name};` ? `&amp;${name};` : text
    if (characters.size < 3000) characters.set(name, character)
    return character
  }
  return (text: string) =>
    text
      .replaceAll(CONTROLS, (it) => (it === "\n" || it === "\r" || it === "\t" ? it : ""))
      .replaceAll(/&([a-z][a-z0-9]{1,31});/gi, (whole, name: string) =>
        XML_NAMES.has(name) ? whole : characterOf(name)
      )
}

/** Returns the encoding that a document declares, if a browser knows it. */
const encodingOf = (bytes: Uint8Array): string => {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return "utf-16le"
  if (first === 0xfe && second === 0xff) return "utf-16be"
  const declared =
    /^[^<]{0,10}<\?xml[^>]{0,200}encoding=["']([\w-]{1,40})["']/.exec(
      new TextDecoder("latin1").decode(bytes.subarray(0, 300))
    )?.[1] ?? "utf-8"
  try {
    return new TextDecoder(declared).encoding
  } catch {
    return "utf-8"
  }
}

/** Yields a document in pieces that the parser of XML takes. */
function* piecesOf(bytes: Uint8Array): Generator<string> {
  const decoder = new TextDecoder(encodingOf(bytes))
  const read = readable()
  let rest = ""
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    const text = rest + decoder.decode(bytes.subarray(at, at + CHUNK_BYTES), { stream: true })
    // A name of a character may go on in the next piece.
    const open = text.lastIndexOf("&")
    const cut = open >= 0 && open > text.length - 40 ? open : text.length
    rest = text.slice(cut)
    yield read(text.slice(0, cut))
  }
  yield read(rest + decoder.decode())
}

const failureOf = (error: Xml.XmlError): ImportFailure => {
  if (error.kind === "Limit")
    return /depth/i.test(error.message)
      ? failure("too_deep", "The XML of the file nests more than 64 levels deep.")
      : failure("too_large", "The file has a text of more than 8 MiB.")
  const place = error.line === undefined ? "" : ` in line ${error.line}`
  return failure(
    "damaged",
    `The file is damaged${place}: it ends too early or is not XML there. What stands before was read.`
  )
}

const doctype = () =>
  failure(
    "doctype",
    "The file has a DOCTYPE, which no export of WordPress has. Remove it if you trust the file."
  )

/** Yields the elements of the channel of a document in its order. Those before damage come before its failure. */
export const channelElements = (file: ImportFile, name: string): Stream.Stream<WxrElement, ImportFailure> =>
  Stream.unwrap(
    Effect.map(file.bytes(name, FILE_BYTES_MAX), (bytes) =>
      Stream.fromIterable(piecesOf(bytes)).pipe(
        Stream.filter((piece) => piece !== ""),
        Stream.pipeThroughChannel(Xml.decodeString({ maxTokenSize: TEXT_CHARS_MAX, maxDepth: LEVELS_MAX })),
        Stream.mapEffect((event) =>
          event._tag === "Doctype" ? Effect.fail(doctype()) : Effect.succeed(event)
        ),
        Stream.pipeThroughChannel(
          Xml.elements(["rss", "channel", "*"], { maxElementSize: 2 * TEXT_CHARS_MAX })
        ),
        Stream.map(elementOf),
        Stream.mapError((error) => (error instanceof Failure ? error : failureOf(error)))
      )
    )
  )
