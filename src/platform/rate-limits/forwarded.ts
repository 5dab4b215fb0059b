const TOKEN = /[!#$%&'*+.^_`|~0-9A-Za-z-]+/y
// Backslashes make the next character literal (RFC 9110, section 5.6.4).
const QUOTED = /"((?:[\t !#-[\]-~\u0080-\u00ff]|\\[\t -~\u0080-\u00ff])*)"/y
const SPACE = /[ \t]*/y

/** Returns the parameters of each element of a `Forwarded` header, or undefined when the header is malformed. */
const parse = (header: string): ReadonlyArray<ReadonlyMap<string, string>> | undefined => {
  let at = 0
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at
    const match = pattern.exec(header)
    if (match !== null) at = pattern.lastIndex
    return match
  }
  const takeCharacter = (character: string) => {
    const isNext = header[at] === character
    if (isNext) at++
    return isNext
  }

  let parameters = new Map<string, string>()
  const elements = [parameters]
  while (true) {
    take(SPACE)
    const name = take(TOKEN)?.[0].toLowerCase()
    if (name !== undefined) {
      if (!takeCharacter("=") || parameters.has(name)) return undefined
      const value = take(QUOTED)?.[1]?.replaceAll(/\\(.)/g, "$1") ?? take(TOKEN)?.[0]
      if (value === undefined) return undefined
      parameters.set(name, value)
      take(SPACE)
    }
    if (at === header.length) return elements.filter((it) => it.size > 0)
    if (takeCharacter(",")) {
      parameters = new Map()
      elements.push(parameters)
    } else if (!takeCharacter(";")) {
      return undefined
    }
  }
}

/**
 * Returns the client of each proxy in a `Forwarded` header (RFC 7239), the first one first. A client is an address with
 * or without a port, `unknown`, or an identifier such as `_hidden`. It is undefined where the header names none. The
 * whole result is undefined when the header is malformed.
 */
export const forwardedFor = (header: string): ReadonlyArray<string | undefined> | undefined =>
  parse(header)?.map((parameters) => parameters.get("for"))
