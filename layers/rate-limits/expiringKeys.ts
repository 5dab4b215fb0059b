/** Milliseconds between two searches for expired keys, so that a search costs next to nothing for each request. */
const SWEEP_MILLIS = 60_000

/** Values by key, each until a time in milliseconds. */
export interface ExpiringKeys<Value> {
  readonly get: (key: string, now: number) => Value | undefined
  readonly set: (key: string, value: Value, expiresAt: number, now: number) => void
  readonly size: () => number
}

/**
 * Keeps at most `maximum` keys; a further key replaces the oldest one. Forgets expired keys within a minute, when a
 * key is set.
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
      // A map keeps the order of insertion, so its first key is the oldest.
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
