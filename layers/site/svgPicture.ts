import { Effect, Result, Stream } from "effect"
import { Xml } from "effect/encoding"

const SVG = "http://www.w3.org/2000/svg"

/** Vocabularies that browsers act on. Elements of others, such as those of drawing programs, do nothing. */
const ACTIVE: ReadonlySet<string> = new Set([
  SVG,
  "http://www.w3.org/1999/xhtml",
  "http://www.w3.org/1999/xlink",
  "http://www.w3.org/1998/Math/MathML",
  "http://www.w3.org/2001/xml-events",
  "http://www.w3.org/XML/1998/namespace"
])

/** Elements that only draw. Scripts, links, animations and foreign content are not among them. */
const DRAWING: ReadonlySet<string> = new Set(
  `circle clipPath defs desc ellipse feBlend feColorMatrix feComponentTransfer feComposite feDropShadow feFlood feFuncA
  feFuncB feFuncG feFuncR feGaussianBlur feMerge feMergeNode feMorphology feOffset feTile feTurbulence filter g image line
  linearGradient marker mask metadata path pattern polygon polyline radialGradient rect stop style svg switch symbol text
  textPath title tspan use`.split(/\s+/)
)

/** A picture within the file. */
const EMBEDDED = /^data:image\/(png|jpeg|webp|gif);base64,[A-Za-z0-9+/=\s]*$/

/** Ways in which a style names something outside of the file. An escape could hide any of them. */
const OUTSIDE = /\\|@import|image-set|url\(\s*(?!["']?\s*#)|\/\/|javascript:/i

/** Depth and length of a logo that a person drew. */
const LIMITS = { maxDepth: 100, maxTokenSize: 100 * 1024 }

type Start = Xml.StartElement

const prefixOf = (name: string) => (name.includes(":") ? name.slice(0, name.indexOf(":")) : "")
const localNameOf = (name: string) => name.slice(name.indexOf(":") + 1)

/** Returns the prefixes that stand for vocabularies without an effect. */
const inertPrefixes = (starts: ReadonlyArray<Start>): ReadonlySet<string> => {
  const declared = starts.flatMap(({ attributes }) =>
    Object.entries(attributes).filter(([name]) => name.startsWith("xmlns:"))
  )
  const active = new Set(declared.filter(([, uri]) => ACTIVE.has(uri.trim())).map(([name]) => name))
  return new Set(
    declared
      .map(([name]) => name)
      .filter((name) => !active.has(name))
      .map(localNameOf)
  )
}

/** Returns what is wrong with an attribute; undefined when it only draws. */
const wrongAttribute = (element: string, name: string, value: string): string | undefined => {
  if (name === "xmlns") return value === SVG ? undefined : `an element of another language (${value})`
  if (name.startsWith("xmlns:")) return undefined
  const local = localNameOf(name).toLowerCase()
  if (local.startsWith("on")) return `the event ${name}`
  if (local === "base") return `the attribute ${name}`
  if (local === "href" || local === "src")
    return value.startsWith("#") || (element === "image" && EMBEDDED.test(value))
      ? undefined
      : `a reference to something outside (${name})`
  return OUTSIDE.test(value) ? `a reference to something outside (${name})` : undefined
}

const wrongElement = ({ attributes, name }: Start, inert: ReadonlySet<string>): string | undefined => {
  if (!inert.has(prefixOf(name)) && !DRAWING.has(name)) return `the element <${name}>`
  for (const [attribute, value] of Object.entries(attributes)) {
    if (inert.has(prefixOf(attribute))) continue
    const wrong = wrongAttribute(name, attribute, value)
    if (wrong !== undefined) return wrong
  }
  return undefined
}

/** Returns what a file has that a picture does not need; undefined when it only draws. */
const wrongPart = (events: ReadonlyArray<Xml.Event>): string | undefined => {
  const starts = events.filter((it) => it._tag === "StartElement")
  const inert = inertPrefixes(starts)
  const open: Array<string> = []
  // A browser joins the pieces between which comments and elements stand.
  let css = ""
  for (const event of events) {
    switch (event._tag) {
      case "Doctype":
        return "a document type"
      case "ProcessingInstruction":
        return `the instruction <?${event.target}?>`
      case "StartElement": {
        open.push(event.name)
        const wrong = wrongElement(event, inert)
        if (wrong !== undefined) return wrong
        break
      }
      case "EndElement":
        open.pop()
        break
      case "Text":
        if (open.at(-1) === "style") css += event.text
    }
  }
  return OUTSIDE.test(css) ? "a style with a reference to outside" : undefined
}

const LENGTH = /^\s*(\d{1,6}(?:\.\d+)?)(?:px)?\s*$/

/** Returns width and height by the box of the drawing, or else by its own attributes. */
const sizeOf = ({ attributes }: Start) => {
  const [, , ofBox = "", heightOfBox = ""] = (attributes["viewBox"] ?? "").trim().split(/[\s,]+/)
  const number = (text: string | undefined) => Number(LENGTH.exec(text ?? "")?.[1] ?? 0)
  const width = number(ofBox) || number(attributes["width"])
  const height = number(heightOfBox) || number(attributes["height"])
  return width > 0 && height > 0 ? { width, height } : undefined
}

/**
 * Reads an SVG that a page shows. Returns its size, or the reason to refuse it. It has only elements that draw, and refers to
 * nothing outside of itself.
 */
export const readSvg = (
  bytes: Uint8Array
): Effect.Effect<Result.Result<{ width: number; height: number }, string>> =>
  Stream.make(bytes).pipe(
    Stream.pipeThroughChannel(Xml.decode(LIMITS)),
    Stream.runCollect,
    Effect.map((events) => {
      const root = events.find((it) => it._tag === "StartElement")
      if (root?.name !== "svg" || root.attributes["xmlns"] !== SVG)
        return Result.fail(
          'is neither a PNG nor an SVG whose first element is <svg xmlns="http://www.w3.org/2000/svg">'
        )
      const wrong = wrongPart(events)
      if (wrong !== undefined)
        return Result.fail(`has ${wrong}, and a logo may only draw; export it as plain SVG`)
      const size = sizeOf(root)
      return size === undefined
        ? Result.fail('does not say its size; give its <svg> a viewBox such as "0 0 32 32"')
        : Result.succeed(size)
    }),
    Effect.catchTag("XmlError", ({ message }) =>
      Effect.succeed(Result.fail(`is neither a PNG nor a readable SVG: ${message}`))
    )
  )
