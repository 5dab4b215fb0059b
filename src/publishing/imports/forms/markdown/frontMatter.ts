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
}

const FENCE = /^(?:\uFEFF)?(?:[ \t]*\r?\n)*(---|\+\+\+)[ \t]*(?:ya?ml|toml)?[ \t]*\r?\n/
const MEMBER = /^(?:[\p{L}_$@][\p{L}\p{N}_. -]{0,100}|"[^"\n]{1,100}"|'[^'\n]{1,100}')\s{0,5}[:=]/u

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
    Object.keys(value).map((name) => [
      name.toLowerCase(),
      valueOf((value as Record<string, unknown>)[name], count, level + 1)
    ])
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

/** Reads `name: value` from each line that has it. */
const lineByLine = (text: string): Members => {
  const members = new Map<string, Value>()
  for (const line of text.split("\n")) {
    const match = /^["']?([\p{L}_][\p{L}\p{N}_-]{0,60})["']?[ \t]{0,5}[:=][ \t]{0,5}(.{0,2000})$/u.exec(
      line.trimEnd()
    )
    if (match === null || members.size >= VALUES_MAX) continue
    const [, name = "", given = ""] = match
    const value = given.trim()
    const list = /^\[(.*)\]$/.exec(value)?.[1]
    members.set(
      name.toLowerCase(),
      list === undefined ? unquoted(value) : list.split(",").map((it) => unquoted(it.trim()))
    )
  }
  return members
}

const unquoted = (text: string): Value => {
  const quoted = /^"(.*)"$|^'(.*)'$/s.exec(text)
  if (quoted !== null) return quoted[1] ?? quoted[2] ?? ""
  return text === "true" ? true : text === "false" ? false : text
}

const fenced = (source: string): FrontMatterText | undefined => {
  const open = FENCE.exec(source.slice(0, 1000))
  if (open === null) return undefined
  const isToml = open[1] === "+++"
  const close = isToml ? /^\+\+\+[ \t]*\r?$/gm : /^(?:---|\.\.\.)[ \t]*\r?$/gm
  close.lastIndex = open[0].length
  const end = close.exec(source)
  if (end === null) return undefined
  const text = source.slice(open[0].length, end.index).replaceAll("\r\n", "\n")
  const first = text.split("\n").find((line) => line.trim() !== "" && !line.startsWith("#"))
  if (first !== undefined && !MEMBER.test(first) && !(isToml && first.startsWith("["))) return undefined
  const body = source.slice(end.index + end[0].length).replace(/^\n/, "")
  const isWhole = text.length <= CHARACTERS_MAX
  const members = isWhole
    ? read(() => (isToml ? Result.getOrThrow(Toml.parse(text)) : Yaml.parse(text)))
    : undefined
  if (members !== undefined) return { members, body, isRepaired: false }
  return { members: text.trim() === "" ? new Map() : lineByLine(text), body, isRepaired: text.trim() !== "" }
}

/** Reads JSON at the beginning: up to the first brace at the beginning of a line, or on the first line. */
const json = (source: string): FrontMatterText | undefined => {
  const text = source.replace(/^\uFEFF/, "")
  if (!text.startsWith("{")) return undefined
  const firstLine = text.indexOf("\n") < 0 ? text.length : text.indexOf("\n")
  const close = /^\}[ \t]*\r?$/m.exec(text.slice(0, CHARACTERS_MAX))
  for (const end of [firstLine, close === null ? -1 : close.index + close[0].length]) {
    if (end < 0 || end > CHARACTERS_MAX) continue
    const members = read(() => JSON.parse(text.slice(0, end)))
    if (members !== undefined) return { members, body: text.slice(end).replace(/^\n/, ""), isRepaired: false }
  }
  return undefined
}

/** Reads front matter in YAML, TOML or JSON. A text without it has no members. */
export const frontMatterOf = (source: string): FrontMatterText =>
  fenced(source) ?? json(source) ?? { members: new Map(), body: source, isRepaired: false }

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
