import { JSON_LEVELS_MAX } from "../../../schemas/platform/jsonBounds.ts"

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?/iy
const WORD = /true|false|null/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-f]{4})/iy
const SPACE = /[ \t\r\n]*/y

/** A mistake in a text that should be JSON: where it stands, and what belongs there. */
class Mistake extends Error {
  readonly index: number
  readonly wanted: string
  constructor(index: number, wanted: string) {
    super(wanted)
    this.index = index
    this.wanted = wanted
  }
}

const VALUE = 'a value: an object, an array, a "string" in double quotes, a number, true, false or null'

/** Reads JSON by its grammar (RFC 8259) and throws the first mistake. `JSON.parse` names the place of some mistakes only. */
const read = (text: string) => {
  const end = (pattern: RegExp, index: number) => {
    pattern.lastIndex = index
    return pattern.test(text) ? pattern.lastIndex : undefined
  }
  const afterSpace = (index: number) => end(SPACE, index) ?? index

  const string = (start: number) => {
    let index = start + 1
    for (; index < text.length;) {
      const code = text.charCodeAt(index)
      if (code === 0x22) return index + 1
      if (code < 0x20) throw new Mistake(index, "an escape such as \\n in place of this control character")
      if (code !== 0x5c) index++
      else {
        const next = end(ESCAPE, index)
        if (next === undefined) throw new Mistake(index, 'an escape of JSON, such as \\", \\\\ or \\u00e9')
        index = next
      }
    }
    throw new Mistake(index, `the closing quote of the string`)
  }

  /** Reads `item` until `close`, with commas between. */
  const list = (start: number, close: string, item: (index: number) => number, wanted: string) => {
    let index = afterSpace(start + 1)
    if (text[index] === close) return index + 1
    for (;;) {
      index = afterSpace(item(index))
      if (text[index] === close) return index + 1
      if (text[index] !== ",") throw new Mistake(index, `a comma or ${close}`)
      index = afterSpace(index + 1)
      if (text[index] === close) throw new Mistake(index, `${wanted}; no comma stands before ${close}`)
    }
  }

  const value = (start: number, level: number): number => {
    const first = text[start]
    if (first === '"') return string(start)
    if (first === "[" && level < JSON_LEVELS_MAX)
      return list(start, "]", (index) => value(index, level + 1), "an element")
    if (first === "{" && level < JSON_LEVELS_MAX) {
      const member = (index: number) => {
        if (text[index] !== '"') throw new Mistake(index, 'a "name" in double quotes')
        const colon = afterSpace(string(index))
        if (text[colon] !== ":") throw new Mistake(colon, "a colon after the name")
        return value(afterSpace(colon + 1), level + 1)
      }
      return list(start, "}", member, "a member")
    }
    const next = end(WORD, start) ?? end(NUMBER, start)
    if (next === undefined) throw new Mistake(start, VALUE)
    return next
  }

  const last = afterSpace(value(afterSpace(0), 0))
  if (last < text.length) throw new Mistake(last, "the end of the body")
}

const placeOf = (text: string, index: number) => {
  const before = text.slice(0, index)
  const lineStart = before.lastIndexOf("\n") + 1
  return `Line ${before.split("\n").length}, column ${index - lineStart + 1}`
}

/** Says where a text stops being JSON and what belongs there; undefined for JSON. */
export const jsonMistakeIn = (text: string): string | undefined => {
  try {
    read(text)
    return undefined
  } catch (mistake) {
    if (!(mistake instanceof Mistake)) throw mistake
    const ends = mistake.index >= text.length ? "the body ends; " : ""
    return `${placeOf(text, mistake.index)}: ${ends}JSON has here ${mistake.wanted}`
  }
}
