import { Schema } from "effect"

/**
 * Maximum number of levels of objects and arrays in JSON from outside. Parsing a million levels takes a second, and
 * encoders recurse. The largest request of the contract has three levels.
 */
export const JSON_LEVELS_MAX = 32

/** Maximum number of members and elements in a JSON body, several times that of the largest operation. */
export const JSON_VALUES_MAX = 500

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
const ARRAY_BEGIN = 0x5b
const ARRAY_END = 0x5d
const OBJECT_BEGIN = 0x7b
const OBJECT_END = 0x7d

/** Returns the index of the quote that ends a text; `from` is the index after the one that begins it. */
const endOfText = (json: Uint8Array, from: number) => {
  for (let quote = json.indexOf(QUOTE, from); quote !== -1; quote = json.indexOf(QUOTE, quote + 1)) {
    let backslashes = 0
    while (json[quote - 1 - backslashes] === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return quote
  }
  return json.length
}

/**
 * Returns the bound that JSON exceeds, or undefined. It parses nothing and stops early, so a body of a million values takes
 * no longer than one of 500. Texts, which are most of a long body, are skipped.
 *
 * A comma and the beginning of an object or array count as one value each. The sum is the number of members and
 * elements, plus one for each empty object or array.
 */
export const exceededBound = (
  json: Uint8Array,
  { levelsMax = JSON_LEVELS_MAX, valuesMax = JSON_VALUES_MAX } = {}
): "levels" | "values" | undefined => {
  let level = 0
  let values = 0
  for (let i = 0; i < json.length; i++) {
    const byte = json[i]
    if (byte === QUOTE) i = endOfText(json, i + 1)
    else if (byte === COMMA) {
      if (++values > valuesMax) return "values"
    } else if (byte === ARRAY_BEGIN || byte === OBJECT_BEGIN) {
      if (++level > levelsMax) return "levels"
      if (++values > valuesMax) return "values"
    }
    // An end before the first beginning must not allow one more level.
    else if ((byte === ARRAY_END || byte === OBJECT_END) && level > 0) level--
  }
  return undefined
}

const utf8 = new TextEncoder()

/** Returns true when objects and arrays nest deeper than the bound. Ask before the JSON is parsed. */
export const isTooDeep = (json: Uint8Array | string, levelsMax: number = JSON_LEVELS_MAX): boolean =>
  exceededBound(typeof json === "string" ? utf8.encode(json) : json, { levelsMax, valuesMax: Infinity }) ===
  "levels"

/** JSON whose objects and arrays nest at most {@link JSON_LEVELS_MAX} deep. */
const ShallowJson = Schema.String.check(
  Schema.makeFilter((json: string) => !isTooDeep(json), {
    expected: `JSON of at most ${JSON_LEVELS_MAX} levels`
  })
)

/** Decodes the JSON of another program. It is `Schema.fromJsonString` that refuses deep JSON before it is parsed. */
export const fromShallowJson = <S extends Schema.Constraint>(schema: S) =>
  ShallowJson.pipe(Schema.decodeTo(Schema.fromJsonString(schema)))
