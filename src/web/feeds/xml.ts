import { Effect, Stream } from "effect"
import { Xml } from "effect/encoding"

/** An element with its attributes and content; `false` and null are nothing. */
export interface XmlElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly content: ReadonlyArray<XmlElement | string>
}

type Content = XmlElement | string | false | null

/** Characters that an XML document cannot hold. Parsers refuse a whole feed with one of them. */
// oxlint-disable-next-line no-control-regex
const IMPOSSIBLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

const possible = (text: string) => text.toWellFormed().replaceAll(IMPOSSIBLE, "")

/** Makes an element. Leaves out characters that XML cannot hold. */
export const element = (
  name: string,
  attributes: Readonly<Record<string, string>> = {},
  ...content: ReadonlyArray<Content>
): XmlElement => ({
  name,
  attributes: Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key, possible(value)])),
  content: content
    .filter((it) => it !== false && it !== null)
    .map((it) => (typeof it === "string" ? possible(it) : it))
})

function* eventsOf(node: XmlElement): Generator<Xml.Event> {
  yield { _tag: "StartElement", name: node.name, attributes: node.attributes }
  for (const it of node.content)
    if (typeof it === "string") yield { _tag: "Text", text: it }
    else yield* eventsOf(it)
  yield { _tag: "EndElement", name: node.name }
}

/** Writes a document with this root. */
export const documentOf = (root: XmlElement): Effect.Effect<string> =>
  Stream.fromIterable<Xml.Event>([
    { _tag: "Declaration", version: "1.0", encoding: "UTF-8" },
    ...eventsOf(root)
  ]).pipe(Stream.pipeThroughChannel(Xml.encodeString()), Stream.mkString, Effect.orDie)
