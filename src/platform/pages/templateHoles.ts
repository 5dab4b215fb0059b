/** The place of a hole: text of an element, the value of an attribute, or the beginning of a URL. */
type Place = "text" | "value" | "url"

/** Elements whose content browsers read in another way than text. */
const RAW: ReadonlySet<string> = new Set([
  "iframe",
  "noembed",
  "noframes",
  "noscript",
  "plaintext",
  "script",
  "style",
  "xmp"
])

/** Attributes that browsers follow or load. */
const URLS: ReadonlySet<string> = new Set(["href", "src", "action", "formaction", "poster", "cite"])

const isForbidden = (attribute: string) =>
  attribute === "style" || attribute === "srcdoc" || attribute.startsWith("on")

const refuse = (why: string): never => {
  throw new TypeError(`A template has a hole ${why}`)
}

type State = "text" | "raw" | "comment" | "tag" | "inTag" | "attribute" | "afterName" | "equals" | "value"

/** Reads the static text of a template, as a browser would, up to each hole. */
class Reader {
  #state: State = "text"
  #tag = ""
  #isEnd = false
  #attribute = ""
  #quote = ""
  #value = ""
  /** True when a hole began the value, and no `/`, `?` or `#` of ours has followed. */
  #isSchemeOpen = false
  #tail = ""

  read(text: string): void {
    for (const character of text) this.#take(character)
  }

  /** Returns the place at which the text has ended. */
  hole(): Place {
    if (this.#state === "text") return "text"
    if (this.#state === "raw") return refuse(`in <${this.#tag}>`)
    if (this.#state === "comment") return refuse("in a comment")
    if (this.#state !== "value") return refuse("in a tag, outside of a quoted value")
    return this.#valueHole()
  }

  #valueHole(): Place {
    if (this.#quote !== '"') return refuse("in a value without double quotes")
    if (isForbidden(this.#attribute)) return refuse(`in ${this.#attribute}`)
    if (!URLS.has(this.#attribute)) return "value"
    if (this.#isSchemeOpen) return refuse("that may continue the scheme of a URL")
    if (this.#value !== "") return "value"
    this.#isSchemeOpen = true
    return "url"
  }

  #take(character: string): void {
    switch (this.#state) {
      case "text":
        if (character === "<") this.#begin("tag")
        return
      case "raw":
        return this.#takeRaw(character)
      case "comment":
        this.#tail = (this.#tail + character).slice(-3)
        if (this.#tail === "-->") this.#state = "text"
        return
      case "tag":
        return this.#takeTagName(character)
      case "value":
        return this.#takeValue(character)
      default:
        return this.#takeInTag(character)
    }
  }

  #begin(state: "tag"): void {
    this.#state = state
    this.#tag = ""
    this.#isEnd = false
  }

  #takeRaw(character: string): void {
    this.#tail = (this.#tail + character.toLowerCase()).slice(-(this.#tag.length + 2))
    if (this.#tail !== `</${this.#tag}`) return
    this.#state = "inTag"
    this.#isEnd = true
  }

  #takeTagName(character: string): void {
    if (character === "/" && this.#tag === "") this.#isEnd = true
    else if (character === ">") this.#endTag()
    else if (/[\s/]/.test(character)) this.#state = "inTag"
    else this.#tag += character.toLowerCase()
    if (this.#tag !== "!--") return
    this.#state = "comment"
    this.#tail = ""
  }

  #takeInTag(character: string): void {
    if (character === ">") return this.#endTag()
    if (this.#state === "equals") {
      if (/\s/.test(character)) return
      this.#state = "value"
      this.#quote = character === '"' || character === "'" ? character : " "
      this.#value = this.#quote === " " ? character : ""
      this.#isSchemeOpen = false
      return
    }
    if (character === "=") this.#state = "equals"
    else if (/[\s/]/.test(character)) this.#state = this.#state === "attribute" ? "afterName" : this.#state
    else {
      this.#attribute =
        this.#state === "attribute" ? this.#attribute + character.toLowerCase() : character.toLowerCase()
      this.#state = "attribute"
    }
  }

  #takeValue(character: string): void {
    if (this.#quote === " ") {
      if (character === ">") this.#endTag()
      else if (/\s/.test(character)) this.#state = "inTag"
      return
    }
    if (character === this.#quote) {
      this.#state = "inTag"
      return
    }
    this.#value += character
    if (/[/?#]/.test(character)) this.#isSchemeOpen = false
  }

  #endTag(): void {
    this.#state = !this.#isEnd && RAW.has(this.#tag) ? "raw" : "text"
    this.#tail = ""
  }
}

/** The static parts of a template, and the places of the holes between them. */
export interface Template {
  readonly parts: ReadonlyArray<string>
  readonly places: ReadonlyArray<Place>
}

/** Removes the indentation of the source, which no reader sees. */
const withoutIndentation = (text: string) => text.replaceAll(/\s*\n\s*/g, "\n")

const known = new WeakMap<TemplateStringsArray, Template>()

/** Reads the static text of a template. Each template is read once. */
export const templateOf = (strings: TemplateStringsArray): Template => {
  const found = known.get(strings)
  if (found !== undefined) return found
  const reader = new Reader()
  const places = strings.slice(0, -1).map((text) => {
    reader.read(text)
    return reader.hole()
  })
  const template = { parts: strings.map(withoutIndentation), places }
  known.set(strings, template)
  return template
}
