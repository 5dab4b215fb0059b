/**
 * Returns a function that remembers the results for up to `countMax` texts, and then forgets them all. It is for pure
 * functions that requests call with few different texts.
 */
export const remembered = <A>(compute: (text: string) => A, countMax: number): ((text: string) => A) => {
  const results = new Map<string, A>()
  return (text) => {
    const known = results.get(text)
    if (known !== undefined || results.has(text)) return known as A
    const result = compute(text)
    if (results.size >= countMax) results.clear()
    results.set(text, result)
    return result
  }
}
