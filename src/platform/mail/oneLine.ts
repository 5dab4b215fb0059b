/** Returns the value as one line, so that it cannot start lines of its own. */
export const oneLine = (value: string): string => value.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, " ")

/** Returns a text as one line of at most that many characters. A longer one ends in an ellipsis. */
export const brief = (text: string, charactersMax: number): string => {
  const line = Array.from(oneLine(text).replaceAll(/\s+/gu, " ").trim())
  return line.length <= charactersMax
    ? line.join("")
    : `${line
        .slice(0, charactersMax - 1)
        .join("")
        .trimEnd()}…`
}
