/** Describes a process to others, so that they know whether they may serve the same database. */
export interface ProcessRow {
  readonly id: string
  readonly host: string
  readonly release: string
  readonly started_at: Date
  readonly seen_at: Date
  readonly base_url: string
  /** A hash of the id under each secret of the process, that of the current secret first. */
  readonly secrets: ReadonlyArray<string>
  /** The ledger and its network; null if the process takes no payments. */
  readonly ledger: string | null
  /** The Redis that counts its rate limits, without credentials; null if the process counts them. */
  readonly redis: string | null
  /** True if the store has an object that only processes with the same store can read. */
  readonly has_marker: boolean
}

/** The settings of a process that are compared with those of a live one. */
export interface OwnSettings {
  readonly baseUrl: string
  readonly ledger: string | null
  /** Hashes a text under each secret, as the other process hashed its id. */
  readonly secretsFor: (id: string) => ReadonlyArray<string>
}

const STOP = "or stop that process first"

/** Names a process to an operator. */
export const named = ({ host, started_at }: ProcessRow) =>
  `the process on ${host} that began at ${started_at.toISOString().replace(/\.\d+Z$/, "Z")}`

const secretDifference = (own: ReadonlyArray<string>, other: ProcessRow): ReadonlyArray<string> => {
  const [ours = ""] = own
  const [theirs = ""] = other.secrets
  // Each process has to know the secret with which the other one makes tokens.
  if (other.secrets.includes(ours) && own.includes(theirs)) return []
  return [
    own.some((secret) => other.secrets.includes(secret))
      ? `SERVER_SECRET is two steps of a rotation away from that of ${named(other)}: set it to old,new in every process first, then to new,old, then to new, ${STOP}.`
      : `SERVER_SECRET has no secret in common with ${named(other)}: give the same to every process of this database, ${STOP}.`
  ]
}

/** Returns a sentence for each setting that must be the same as in another process, and differs. */
export const differences = (own: OwnSettings, other: ProcessRow): ReadonlyArray<string> => [
  ...(own.baseUrl === other.base_url
    ? []
    : [
        `PUBLIC_BASE_URL is ${own.baseUrl} here and ${other.base_url} in ${named(other)}: give the same to every process of this database, ${STOP}.`
      ]),
  ...secretDifference(own.secretsFor(other.id), other),
  // A process without a ledger takes no payments, and disturbs none.
  ...(own.ledger === null || other.ledger === null || own.ledger === other.ledger
    ? []
    : [
        `NANO_LEDGER and NANO_NETWORK lead to ${own.ledger} here and to ${other.ledger} in ${named(other)}: give the same to every process of this database, ${STOP}.`
      ])
]

/** Says that another process has another store of images. */
export const storeDifference = (other: ProcessRow) =>
  `S3_URL or PENNYPRESS_DATA does not lead to the images of ${named(other)}: name the same bucket in S3_URL of every process, or the same PENNYPRESS_DATA on one machine, ${STOP}.`

/**
 * Returns a warning if processes do not count the rate limits together. No reason to refuse a start: the limits are higher than
 * they should be, nothing else is wrong, and a Redis may be added while processes are restarted one by one.
 */
export const limitsWarning = (redises: ReadonlyArray<string | null>): string | undefined => {
  if (redises.length < 2) return undefined
  if (redises.every((redis) => redis === null))
    return "Several processes serve this database without REDIS_URL, so each of them allows the full rate limits."
  return new Set(redises).size > 1
    ? "The processes of this database have different values of REDIS_URL, so their rate limits are counted apart."
    : undefined
}

/** The remedy for rate limits that are not counted together. */
export const LIMITS_ADVICE = "Name one Redis in REDIS_URL of every process."
