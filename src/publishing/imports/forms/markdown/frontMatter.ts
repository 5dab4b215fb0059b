import { Result } from "effect"
import { Toml, Yaml } from "effect/encoding"

/** Characters of front matter, at most; values and levels of it that are read. */
const CHARACTERS_MAX = 65_536
const VALUES_MAX = 1000
const LEVELS_MAX = 32

/** Front matter: its members by their names in lower case, and the text after it. */
export interface FrontMatterText {
  readonly members: Members
  readonly body: string
  /** True when it could only be read line by line. */
  readonly isRepaired: boolean
  /** The word that puts a text behind a wall whose front matter could not be parsed. */
  readonly wall: string | undefined
}

/** Finds the beginning of a text, with its indentation. Four spaces begin code. */
const BEGIN = /^\uFEFF?(?:[ \t]*\r?\n)* {0,3}/
const FENCE = /^(---|\+\+\+)[ \t]*(?:ya?ml|toml)?[ \t]*(?:#[^\n]{0,500})?\r?\n/
/** Matches a text that begins like front matter. */
const FENCED = /^(?:-{3}|\+{3}|;{3}|\{(?![{%:#!<]))/
const MEMBER =
  /^(?:[{?]|<<|[\p{L}\p{N}_$@&!][\p{L}\p{N}_. -]{0,100}|"[^"\n]{1,100}"|'[^'\n]{1,100}')(?:(?<=[{?])|\s{0,5}[:=])/u
/** Matches a member that no prose after a line across the page begins with. */
const SURE_MEMBER =
  /^(?:[ \t]{0,100}(?:#[^\n]{0,1000})?\n){0,100}(?:\{|["']?[\p{L}\p{N}_$@<][\p{L}\p{N}_.<-]{0,60}["']?\s{0,5}[:=](?:\s|$))/u
const JSON_MEMBER = /^\{\s{0,1000}(?:["'][^"'\n]{1,100}["']|[\p{L}_$][\w$-]{0,100})\s{0,5}:/u

type Value = string | number | boolean | null | ReadonlyArray<Value> | Members
export type Members = ReadonlyMap<string, Value>

class TooMany extends Error {}

/** Copies parsed values without prototypes. Aliases are copied each time, and counted. */
const valueOf = (value: unknown, count: { values: number }, level: number): Value => {
  if (++count.values > VALUES_MAX || level > LEVELS_MAX) throw new TooMany()
  if (typeof value === "string" || typeof value === "boolean") return value
  if (typeof value === "number") return Number.isFinite(value) ? value : null
  if (typeof value === "bigint") return String(value)
  if (Array.isArray(value)) return value.map((it) => valueOf(it, count, level + 1))
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString()
  if (typeof value !== "object" || value === null) return null
  return membersOf(value, count, level)
}

const membersOf = (value: object, count: { values: number }, level: number): Members =>
  new Map(
    Object.keys(value).map((name, _, names) => {
      const lower = name.toLowerCase()
      // `Access` beside `access`: neither may hide the other.
      if (lower !== name && names.includes(lower)) throw new TooMany()
      return [lower, valueOf((value as Record<string, unknown>)[name], count, level + 1)]
    })
  )

const read = (parse: () => unknown): Members | undefined => {
  try {
    const value = parse()
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? membersOf(value, { values: 0 }, 0)
      : undefined
  } catch {
    // Yaml throws for what it does not know, and for deep or endless aliases.
    return undefined
  }
}

/** Reads `name: value` from each line that has it. The first of a name counts in JSON, whose inner members are indented, too. */
const lineByLine = (text: string, isJson = false): Members => {
  const members = new Map<string, Value>()
  const lines = isJson
    ? text.replaceAll(/(?<=[{,])(?=[ \t]{0,5}["'][\w-]{1,60}["'][ \t]{0,5}:)/g, "\n")
    : text
  for (const line of lines.split("\n")) {
    const match = /^["']?([\p{L}_][\p{L}\p{N}_-]{0,60})["']?[ \t]{0,5}[:=][ \t]{0,5}(.{0,2000})$/u.exec(
      isJson
        ? line
            .slice(0, 3000)
            .trim()
            .replace(/,?\}?$/, "")
        : line.trimEnd()
    )
    if (match === null || members.size >= VALUES_MAX) continue
    const [, name = "", given = ""] = match
    if (isJson && members.has(name.toLowerCase())) continue
    const value = given.trim()
    const list = /^\[(.*)\]$/.exec(value)?.[1]
    members.set(
      name.toLowerCase(),
      list === undefined ? unquoted(value) : list.split(",").map((it) => unquoted(it.trim()))
    )
  }
  return members
}

/** Matches a member that may wall a text: at the beginning of a line, or after a brace or a comma. */
const WALL =
  /(?:^|[{,])[ \t]*(?:[-?!&][\w!]{0,40}[ \t]{1,20}){0,3}["']?(access|visibility|paid|price|pricexno|price_xno)["']?[ \t]*[:=]/gim

/** Returns the word that walls a text which cannot be parsed: one of any line that is not said to be open. */
const wallIn = (text: string): string | undefined => {
  for (const match of text.matchAll(WALL)) {
    const name = (match[1] ?? "").toLowerCase()
    const from = match.index + match[0].length
    const rest = text.slice(from, from + 200)
    const value = (/^[ \t]*("[^"\r\n]*"|'[^'\r\n]*'|[^,}\]#\r\n]*)/.exec(rest)?.[1] ?? "")
      .trim()
      .replace(/^(["'])(.*)\1$/, "$2")
      .trim()
    const isOpen =
      /^(?:null|~)$/i.test(value) ||
      (name === "access" || name === "visibility"
        ? /^(?:public|free)$/i.test(value)
        : name === "paid"
          ? /^(?:false|no|off|0)$/i.test(value)
          : /^0+(?:\.0*)?$/.test(value))
    if (!isOpen) return value || name
  }
  return undefined
}

const unquoted = (text: string): Value => {
  const quoted = /^"(.*)"$|^'(.*)'$/s.exec(text)
  if (quoted !== null) return quoted[1] ?? quoted[2] ?? ""
  return text === "true" ? true : text === "false" ? false : text
}

/** Returns the end of the lines before the first empty one. */
const blockEnd = (text: string) => {
  const empty = /\n[ \t]*\r?(?:\n|$)/.exec(text)
  return empty === null ? text.length : empty.index + 1
}

const repaired = (text: string, body: string, isJson = false): FrontMatterText => ({
  members: lineByLine(text, isJson),
  body,
  isRepaired: true,
  wall: wallIn(text)
})

const fenced = (source: string): FrontMatterText | undefined => {
  const open = FENCE.exec(source.slice(0, 1000))
  if (open === null) return undefined
  const isToml = open[1] === "+++"
  const close = isToml ? /^\+\+\+[ \t]*\r?$/gm : /^(?:---|\.\.\.)[ \t]*\r?$/gm
  close.lastIndex = open[0].length
  const end = close.exec(source)
  const isMember = (text: string) => {
    const first = text.split("\n").find((line) => line.trim() !== "" && !line.startsWith("#"))
    return first === undefined || MEMBER.test(first) || (isToml && first.startsWith("["))
  }
  if (end === null) {
    // It ends with its first empty line, and may go on after it.
    const from = open[0].length
    const to = from + blockEnd(source.slice(from))
    const text = source.slice(from, to).replaceAll("\r\n", "\n")
    if (!SURE_MEMBER.test(text)) return undefined
    return { ...repaired(text, source.slice(to).replace(/^[ \t]*\r?\n/, "")), wall: wallIn(source) }
  }
  const text = source.slice(open[0].length, end.index).replaceAll("\r\n", "\n")
  if (text.trim() === "" && wallIn(source) !== undefined) return undefined
  if (!isMember(text)) return undefined
  const body = source.slice(end.index + end[0].length).replace(/^\n/, "")
  const isWhole = text.length <= CHARACTERS_MAX
  const members = isWhole
    ? read(() => (isToml ? Result.getOrThrow(Toml.parse(text)) : Yaml.parse(text)))
    : undefined
  if (members !== undefined) return { members, body, isRepaired: false, wall: undefined }
  return text.trim() === ""
    ? { members: new Map(), body, isRepaired: false, wall: undefined }
    : repaired(text, body)
}

/** Returns the end of the braces with which a text begins, or undefined. Texts in quotes end with their line. */
const bracesEnd = (text: string): number | undefined => {
  let depth = 0
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    const it = text[at]
    if (it === "\\") at++
    else if (it === '"') isQuoted = !isQuoted
    else if (it === "\n") isQuoted = false
    else if (isQuoted) continue
    else if (it === "{") depth++
    else if (it === "}" && --depth === 0) return at + 1
  }
  return undefined
}

/** Reads JSON at the beginning: up to the first brace at the beginning of a line, or on the first line. */
const json = (text: string): FrontMatterText | undefined => {
  if (!text.startsWith("{")) return undefined
  const firstLine = text.indexOf("\n") < 0 ? text.length : text.indexOf("\n")
  const close = /^\}[ \t]*\r?$/m.exec(text.slice(0, CHARACTERS_MAX))
  for (const end of [firstLine, close === null ? -1 : close.index + close[0].length]) {
    if (end < 0 || end > CHARACTERS_MAX) continue
    const members = read(() => JSON.parse(text.slice(0, end)))
    if (members !== undefined)
      return { members, body: text.slice(end).replace(/^\n/, ""), isRepaired: false, wall: undefined }
  }
  if (!JSON_MEMBER.test(text.slice(0, 2000))) return undefined
  // Its end is a guess, so a wall after it counts, too.
  const end = bracesEnd(text) ?? blockEnd(text)
  const body = text.slice(end).replace(/^[ \t,;]*\r?\n/, "")
  return { ...repaired(text.slice(0, end), body, true), wall: wallIn(text) }
}

/**
 * Reads front matter in YAML, TOML or JSON. A text without it has no members. One that only begins like it stays as it is, but
 * is walled by any line that says so.
 */
export const frontMatterOf = (source: string): FrontMatterText => {
  const begin = source.slice(BEGIN.exec(source)?.[0].length ?? 0)
  return (
    fenced(begin) ??
    json(begin) ?? {
      members: new Map(),
      body: source,
      isRepaired: false,
      wall: FENCED.test(begin) ? wallIn(source) : undefined
    }
  )
}

/** Returns the first of these members that is a text, a number or a truth, as a text. */
export const textMember = (members: Members, ...names: ReadonlyArray<string>): string => {
  for (const name of names) {
    const value = members.get(name.toLowerCase())
    if (typeof value === "string" && value.trim() !== "") return value
    if (typeof value === "number" || typeof value === "boolean") return String(value)
  }
  return ""
}

/** Returns the texts of these members, of lists and of `a, b`. */
export const listMember = (members: Members, ...names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.flatMap((name) => {
    const value = members.get(name.toLowerCase())
    if (typeof value === "string")
      return value
        .split(",")
        .map((it) => it.trim())
        .filter((it) => it !== "")
    if (!isList(value)) return []
    return value.flatMap((it) => {
      if (typeof it === "string") return it.trim() === "" ? [] : [it.trim()]
      const named = isMembers(it) ? textMember(it, "name", "title") : ""
      return named === "" ? [] : [named]
    })
  })

const isList = (value: Value | undefined): value is ReadonlyArray<Value> => Array.isArray(value)

/** Returns true for members within members. */
export const isMembers = (value: Value | undefined): value is Members => value instanceof Map

/** Returns true or false as a member says it in one of its spellings, or null. */
export const truthMember = (members: Members, name: string): boolean | null => {
  const value = members.get(name.toLowerCase())
  if (typeof value === "boolean") return value
  if (typeof value !== "string") return null
  return /^(?:true|yes|on|1)$/i.test(value) ? true : /^(?:false|no|off|0)$/i.test(value) ? false : null
}
