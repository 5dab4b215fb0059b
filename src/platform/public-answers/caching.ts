/** Seconds for which the caches of others keep a kind of answer. */
interface Kept {
  readonly fresh: number
  /** Caches may show an older answer for this long while they ask for a newer one. */
  readonly whileAsking: number
  /** Caches may show an older answer for this long while the service fails or cannot be reached. */
  readonly whileFailing: number
}

const publicly = ({ fresh, whileAsking, whileFailing }: Kept) =>
  `public, max-age=${fresh}, stale-while-revalidate=${whileAsking}, stale-if-error=${whileFailing}`

const HOUR = 3_600
const DAY = 86_400

/**
 * Bounds what caches show of accounts while the service fails, in seconds. It is long enough for a failover that a person
 * leads. A withdrawn post or a restricted account must not live on in caches, so it is no longer than that.
 */
const OF_ACCOUNTS = 300

/**
 * The `Cache-Control` of every answer that anyone may see. A cache that reaches the service learns of a change after
 * `max-age`: 404 and 410 are answers, and only 5xx are failures (RFC 5861). Private and paid answers are never kept.
 */
export const caching = {
  /** Programs act on what they read, so an older answer is shown no longer than a fresh one. */
  read: (fresh: number) => publicly({ fresh, whileAsking: 15, whileFailing: OF_ACCOUNTS }),
  page: publicly({ fresh: 15, whileAsking: 60, whileFailing: OF_ACCOUNTS }),
  feed: publicly({ fresh: 300, whileAsking: 300, whileFailing: OF_ACCOUNTS }),
  sitemap: publicly({ fresh: HOUR, whileAsking: HOUR, whileFailing: OF_ACCOUNTS }),
  /** Texts that change only with a release or a setting, and show no account. */
  document: publicly({ fresh: HOUR, whileAsking: HOUR, whileFailing: DAY }),
  icon: publicly({ fresh: DAY, whileAsking: DAY, whileFailing: DAY }),
  /** A file that never changes under its URL. A cache need not ask, so nothing may prolong a rejected image. */
  unchanging: "public, max-age=31536000, immutable",
  /** An address without an answer of its own. The next moment may give it one, so no error prolongs it. */
  vacant: "public, max-age=15",
  /** Keys that check signatures. No error may prolong the life of a key that was withdrawn. */
  keys: "public, max-age=300"
} as const
