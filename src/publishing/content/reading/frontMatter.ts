/** The lines of front matter; lines count from 1. */
export interface FrontMatter {
  readonly line: number
  readonly lastLine: number
}

/** Characters in which front matter ends. Reading more would cost every section that begins like one. */
const CHARACTERS_MAX = 16_384

/** The first line of front matter in YAML or TOML, which the last line repeats. Some programs name the language. */
const FENCE = /^(?:---|\+\+\+)[ \t]*(?:ya?ml|toml)?[ \t]*$/
/** A member: a name without spaces, or in quotes. A sentence before a colon has spaces. */
const YAML_MEMBER = /^(?:[\p{L}_][\p{L}\p{N}_.-]*|"[^"]*"|'[^']*'):(?:[ \t]|$)/u
/** A line that goes on with the member before it: indented, an item of a list, a comment, or the end of a list. */
const YAML_MORE = /^(?:[ \t]|-[ \t]|-$|#|[\]}]|$)/
const TOML_MEMBER = /^(?:[\p{L}\p{N}_.-]+|"[^"]*"|'[^']*')[ \t]*=|^\[/u
const TOML_MORE = /^(?:[ \t]|#|[\]}"'0-9]|$)/

/** Returns the index of the line that ends front matter in YAML or TOML, or -1. Its first member decides what it is. */
const fencedEnd = (lines: ReadonlyArray<string>): number => {
  const [first = "", ...others] = lines
  if (!FENCE.test(first)) return -1
  const isToml = first.startsWith("+")
  const [member, more] = isToml ? [TOML_MEMBER, TOML_MORE] : [YAML_MEMBER, YAML_MORE]
  let hasMember = false
  for (const [index, line] of others.entries()) {
    const text = line.trimEnd()
    if (text === (isToml ? "+++" : "---") || (!isToml && text === "...")) return hasMember ? index + 1 : -1
    if (member.test(line)) hasMember = true
    else if (!more.test(line) || (!hasMember && !line.startsWith("#") && text !== "")) return -1
  }
  return -1
}

const isObject = (json: string) => {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === "object" && value !== null && Object.keys(value).length > 0
  } catch {
    return false
  }
}

/** Returns the index of the line that ends front matter in JSON, or -1: the first line, or the first brace that is not indented. */
const jsonEnd = (lines: ReadonlyArray<string>): number => {
  const [first = ""] = lines
  if (!first.startsWith("{")) return -1
  if (isObject(first)) return 0
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === "}")
  return end > 0 && isObject(lines.slice(0, end + 1).join("\n")) ? end : -1
}

const BYTE_ORDER_MARK = /^\uFEFF/

/**
 * Returns the place of front matter at the beginning of a section, in YAML, TOML or JSON. Markdown would show it as text. A
 * thematic break at the beginning is followed by other lines than members, or by no second one.
 */
export const frontMatterIn = (source: string): FrontMatter | undefined => {
  const text = source.replace(BYTE_ORDER_MARK, "")
  const begin = Math.max(0, text.search(/\S/))
  const lines = text.slice(0, begin + CHARACTERS_MAX).split(/\r\n|\n|\r/)
  const before = lines.findIndex((line) => line.trim() !== "")
  const rest = lines.slice(Math.max(0, before))
  const end = Math.max(fencedEnd(rest), jsonEnd(rest))
  return end < 0 ? undefined : { line: before + 1, lastLine: before + 1 + end }
}
