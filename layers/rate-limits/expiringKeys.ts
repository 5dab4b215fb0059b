/** How often what has expired is looked for, so that the search costs a request next to nothing on average. */
const SWEEP_MILLIS = 60_000

/** Values by their keys, each until a moment in milliseconds. */
export interface ExpiringKeys<Value> {
  readonly get: (key: string, now: number) => Value | undefined
  readonly set: (key: string, value: Value, expiresAt: number, now: number) => void
  readonly size: () => number
}

/**
 * Never more than `maximum` keys: for one more, that which was set longest ago is forgotten. What has expired is
 * forgotten within a minute, when anything is set.
 */
export const makeExpiringKeys = <Value>(maximum: number): ExpiringKeys<Value> => {
  const entries = new Map<string, { readonly value: Value; readonly expiresAt: number }>()
  let sweptAt = 0

  const sweep = (now: number) => {
    sweptAt = now
    for (const [key, { expiresAt }] of entries) {
      if (expiresAt <= now) entries.delete(key)
    }
  }

  return {
    get: (key, now) => {
      const entry = entries.get(key)
      return entry !== undefined && entry.expiresAt > now ? entry.value : undefined
    },
    set: (key, value, expiresAt, now) => {
      // A map keeps the order in which keys came, so the first is the one that was set longest ago.
      entries.delete(key)
      if (now - sweptAt >= SWEEP_MILLIS) sweep(now)
      if (expiresAt <= now) return
      const [oldest] = entries.size >= maximum ? entries.keys() : []
      if (oldest !== undefined) entries.delete(oldest)
      entries.set(key, { value, expiresAt })
    },
    size: () => entries.size
  }
}
