const TOKEN = /[!#$%&'*+.^_`|~0-9A-Za-z-]+/y
// Backslashes make the next character literal (RFC 9110, section 5.6.4).
const QUOTED = /"((?:[\t !#-[\]-~\u0080-\u00ff]|\\[\t -~\u0080-\u00ff])*)"/y
const SPACE = /[ \t]*/y

/** The parameters of the elements of a `Forwarded` header, or undefined if it is not well formed. */
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
 * Whom each proxy of a `Forwarded` header (RFC 7239) forwarded for, the first one first: an address with or without a
 * port, `unknown`, an identifier that hides it such as `_hidden`, or undefined where it is not said. Undefined as a
 * whole if the header is not well formed.
 */
export const forwardedFor = (header: string): ReadonlyArray<string | undefined> | undefined =>
  parse(header)?.map((parameters) => parameters.get("for"))
