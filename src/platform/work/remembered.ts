import { LRUCache } from "lru-cache"

/**
 * Returns a function that remembers the results for the `countMax` texts it got last. It is for pure functions that
 * requests call with few different texts.
 */
export const remembered = <A>(compute: (text: string) => A, countMax: number): ((text: string) => A) => {
  const results = new LRUCache<string, { readonly result: A }>({
    max: countMax,
    memoMethod: (text) => ({ result: compute(text) })
  })
  return (text) => results.memo(text).result
}
