import { ArrivingText, type FieldBounds, FIELDS_MAX, FormFields, type SentForm } from "./SentForm.ts"

const AMPERSAND = 0x26
const EQUALS = 0x3d
const PERCENT = 0x25

/** Bytes of a name, at most. A field with a longer one is left out. */
const NAME_BYTES_MAX = 64

const NO_BYTES = new Uint8Array()

/**
 * Reads a URL-encoded form as `URLSearchParams` does, as its bytes arrive. `URLSearchParams` would hold up the process for
 * seconds with megabytes, and would keep all of them.
 */
export class UrlEncodedForm<Name extends string> {
  readonly #fields: FormFields<Name>
  #count = 1
  #name = new ArrivingText(NAME_BYTES_MAX, NAME_BYTES_MAX)
  #isName = true
  #field = ""
  #value: ArrivingText | undefined
  /** The beginning of an escape whose end has not arrived. */
  #rest = NO_BYTES

  constructor(bounds: FieldBounds<Name> | number) {
    this.#fields = new FormFields(bounds)
  }

  /** Takes the next bytes. Returns false for a form with too many fields. */
  write(arrived: Uint8Array): boolean {
    let bytes = arrived
    if (this.#rest.length > 0) {
      bytes = new Uint8Array(this.#rest.length + arrived.length)
      bytes.set(this.#rest)
      bytes.set(arrived, this.#rest.length)
    }
    const escape = bytes.subarray(-2).indexOf(PERCENT)
    const whole = escape === -1 ? bytes.length : Math.max(0, bytes.length - 2) + escape
    this.#rest = bytes.slice(whole)
    return this.#read(bytes.subarray(0, whole))
  }

  /** Ends the form. Returns undefined if it has too many fields. */
  end(): SentForm<Name> | undefined {
    if (!this.#read(this.#rest)) return undefined
    this.#endField()
    return this.#fields.form
  }

  #read(bytes: Uint8Array): boolean {
    for (let at = 0; at < bytes.length;) {
      const ampersand = bytes.indexOf(AMPERSAND, at)
      this.#readField(bytes.subarray(at, ampersand === -1 ? bytes.length : ampersand))
      if (ampersand === -1) return true
      this.#endField()
      if (++this.#count > FIELDS_MAX) return false
      at = ampersand + 1
    }
    return true
  }

  #readField(bytes: Uint8Array): void {
    if (!this.#isName) {
      this.#value?.addEncoded(bytes)
      return
    }
    const equals = bytes.indexOf(EQUALS)
    this.#name.addEncoded(equals === -1 ? bytes : bytes.subarray(0, equals))
    if (equals === -1) return
    this.#beginValue()
    this.#value?.addEncoded(bytes.subarray(equals + 1))
  }

  #beginValue(): void {
    this.#isName = false
    const { isCut, text } = this.#name.end()
    this.#field = text
    this.#value = isCut ? undefined : this.#fields.begin(text)
  }

  #endField(): void {
    // An empty text between two ampersands is not a field.
    if (this.#isName && !this.#name.isEmpty) this.#beginValue()
    if (this.#value !== undefined) this.#fields.end(this.#field, this.#value)
    this.#name = new ArrivingText(NAME_BYTES_MAX, NAME_BYTES_MAX)
    this.#isName = true
    this.#value = undefined
  }
}
