const PERCENT = 0x25
const PLUS = 0x2b
const SPACE = 0x20

/** The values of hexadecimal digits by their byte, and -1 for all other bytes. */
const DIGITS = Int8Array.from({ length: 256 }, (_, byte) =>
  /[\dA-Fa-f]/.test(String.fromCharCode(byte)) ? Number.parseInt(String.fromCharCode(byte), 16) : -1
)

const digitOf = (byte = 0) => DIGITS[byte] ?? -1

/** The fields of a form, and the code points that each has at most. */
export type FieldBounds<Name extends string = string> = Readonly<Record<Name, number>>

/**
 * Bounds of most fields, in code points. Each is above the longest value that is accepted, so that a value which is too long is
 * refused with its own reason.
 */
export const LENGTHS = {
  /** An id, a number, a moment, or a choice. */
  word: 100,
  /** A name, a title, an address, or a cursor. */
  line: 500,
  /** A URL or a path. */
  url: 4096,
  /** A text of some paragraphs. */
  text: 8192
} as const

/** Fields of a form, at most. */
export const FIELDS_MAX = 48

/** Code points that are left of a value whose bytes exceed those of its bound. No person wrote it. */
const FRAGMENT_MAX = 4000

/** Bytes that a code point has in UTF-8, at most. A line end of two bytes becomes one code point. */
const CODE_POINT_BYTES_MAX = 4

/** The bytes with which a value begins. */
const FIRST_BYTES = 64

/** The values of a form. Names that it does not declare are left out, and of several values of a name the first one counts. */
export class SentForm<in Name extends string = string> {
  readonly #values: ReadonlyMap<string, string>
  readonly #cut: ReadonlySet<string>

  constructor(values: ReadonlyMap<string, string>, cut: ReadonlySet<string> = new Set()) {
    this.#values = values
    this.#cut = cut
  }

  /** Returns the value of a field, whose lines end with LF. */
  get(name: Name): string | undefined {
    return this.#values.get(name)
  }

  has(name: Name): boolean {
    return this.#values.has(name)
  }

  /** The names of the fields that were longer than their bounds. Their values are cut. */
  get cut(): ReadonlyArray<string> {
    return [...this.#cut]
  }

  get entries(): ReadonlyArray<readonly [name: string, value: string]> {
    return [...this.#values]
  }
}

/** Returns the first code points of a text. */
const beginningOf = (text: string, codePointsMax: number): string => {
  if (text.length <= codePointsMax) return text
  let at = 0
  for (let left = codePointsMax; left > 0 && at < text.length; left--)
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
  return at >= text.length ? text : text.slice(0, at)
}

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true })

/** The bytes of a text as they arrive. It keeps no more of them than its bound needs. */
export class ArrivingText {
  readonly #codePointsMax: number
  readonly #bytesMax: number
  #bytes: Uint8Array
  #length = 0
  /** True if some bytes were not kept. */
  isOver = false

  constructor(codePointsMax: number, bytesMax = codePointsMax * CODE_POINT_BYTES_MAX) {
    this.#codePointsMax = codePointsMax
    this.#bytesMax = bytesMax
    this.#bytes = new Uint8Array(Math.min(FIRST_BYTES, bytesMax))
  }

  get isEmpty(): boolean {
    return this.#length === 0
  }

  /** Returns the buffer, with room for more bytes within the bound. */
  #roomFor(more: number): Uint8Array {
    const needed = Math.min(this.#length + more, this.#bytesMax)
    if (needed > this.#bytes.length) {
      const bytes = new Uint8Array(Math.min(Math.max(needed, 2 * this.#bytes.length), this.#bytesMax))
      bytes.set(this.#bytes.subarray(0, this.#length))
      this.#bytes = bytes
    }
    return this.#bytes
  }

  /** Adds bytes as they are. */
  add(arrived: Uint8Array): void {
    if (this.isOver || arrived.length === 0) return
    const bytes = this.#roomFor(arrived.length)
    const fitting = arrived.subarray(0, this.#bytesMax - this.#length)
    bytes.set(fitting, this.#length)
    this.#length += fitting.length
    this.isOver = fitting.length < arrived.length
  }

  /** Adds bytes of a URL-encoded form. An escape of no byte stands for itself. */
  addEncoded(arrived: Uint8Array): void {
    if (this.isOver) return
    if (!arrived.includes(PERCENT) && !arrived.includes(PLUS)) {
      this.add(arrived)
      return
    }
    const bytes = this.#roomFor(arrived.length)
    let length = this.#length
    let at = 0
    for (; at < arrived.length && length < this.#bytesMax; at++) {
      const byte = arrived[at] ?? 0
      if (byte === PLUS) bytes[length++] = SPACE
      else if (byte === PERCENT && at + 2 < arrived.length) {
        const value = (digitOf(arrived[at + 1]) << 4) | digitOf(arrived[at + 2])
        if (value < 0) bytes[length++] = byte
        else {
          bytes[length++] = value
          at += 2
        }
      } else bytes[length++] = byte
    }
    this.#length = length
    this.isOver = at < arrived.length
  }

  /** Ends the text. Returns it within its bound, and says if some of it is missing. */
  end(): { readonly text: string; readonly isCut: boolean } {
    const whole = utf8.decode(this.#bytes.subarray(0, this.#length)).replaceAll(/\r\n/g, "\n")
    if (this.isOver)
      return { text: beginningOf(whole, Math.min(FRAGMENT_MAX, this.#codePointsMax)), isCut: true }
    const text = beginningOf(whole, this.#codePointsMax)
    return { text, isCut: text.length < whole.length }
  }
}

/** Takes the fields of a form in their order, with any encoding. */
export class FormFields<Name extends string> {
  readonly #boundOf: (name: string) => number | undefined
  readonly #values = new Map<string, string>()
  readonly #cut = new Set<string>()

  /** `bounds` is one number for a form whose names are not known. */
  constructor(bounds: FieldBounds<Name> | number) {
    this.#boundOf =
      typeof bounds === "number"
        ? () => bounds
        : (name) => (Object.hasOwn(bounds, name) ? bounds[name as Name] : undefined)
  }

  /** Begins the value of a field; undefined for one that is left out. */
  begin(name: string): ArrivingText | undefined {
    const bound = this.#values.has(name) ? undefined : this.#boundOf(name)
    return bound === undefined ? undefined : new ArrivingText(bound)
  }

  end(name: string, value: ArrivingText): void {
    const { isCut, text } = value.end()
    this.#values.set(name, text)
    if (isCut) this.#cut.add(name)
  }

  get form(): SentForm<Name> {
    return new SentForm(this.#values, this.#cut)
  }
}

const encoder = new TextEncoder()

/** Returns a form of values that arrived before, within these bounds. */
export const formOfValues = <Name extends string>(
  values: Iterable<readonly [name: string, value: string]>,
  bounds: FieldBounds<Name>
): SentForm<Name> => {
  const fields = new FormFields(bounds)
  for (const [name, text] of values) {
    const value = fields.begin(name)
    if (value === undefined) continue
    value.add(encoder.encode(text))
    fields.end(name, value)
  }
  return fields.form
}
