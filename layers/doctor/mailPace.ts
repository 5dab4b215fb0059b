import { Effect, Option, type Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import type { MailRate } from "../../src/platform/ports/Settings.ts"
import type { Environment } from "../config/environment.ts"
import { NAME } from "../postgres/embedded/database.ts"
import { runningDatabase } from "../postgres/embedded/EmbeddedPostgres.ts"
import { about, type Finding } from "./Finding.ts"
import { oneConnection } from "./oneConnection.ts"

const { warning } = about("mail")

/** Time that the database has to answer. */
const PATIENCE = "10 seconds"

const HOUR = 3_600
const DAY = 24 * HOUR

/** Time that one post may take to all readers of its author. */
const POST_SECONDS_MAX = DAY
/** Time that a post of each author may take to all readers. It is also that after which a mail is not sent any more. */
const ALL_SECONDS_MAX = 7 * DAY

/** The readers by mail of a service. */
export interface ReaderCounts {
  /** The readers of the author who has most. */
  readonly largest: number
  /** The readers of all authors. */
  readonly all: number
}

const timeOf = (seconds: number) =>
  seconds < 2 * DAY ? `${Math.ceil(seconds / HOUR)} hours` : `${Math.ceil(seconds / DAY)} days`

const readers = (count: number) => `${count.toLocaleString("en")} readers`

/** Says that mails take too long at a pace. */
export const paceFindings = ({ all, largest }: ReaderCounts, rate: MailRate): ReadonlyArray<Finding> => {
  const secondsFor = (count: number) => (count * rate.seconds) / rate.mails
  const advice =
    "Raise MAIL_RATE to what your mail server takes. A mail that waits longer than 7 days is not sent."
  if (secondsFor(largest) > POST_SECONDS_MAX)
    return [
      warning(
        `One author has ${readers(largest)} by mail: at MAIL_RATE, a post takes ${timeOf(secondsFor(largest))} to all of them.`,
        advice
      )
    ]
  if (secondsFor(all) > ALL_SECONDS_MAX)
    return [
      warning(
        `The authors have ${readers(all)} by mail: at MAIL_RATE, one post of each takes ${timeOf(secondsFor(all))}.`,
        advice
      )
    ]
  return []
}

const counts = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const sql = yield* oneConnection(url)
  const [row] = yield* sql<ReaderCounts>`
    select coalesce(max(readers), 0)::int as largest, coalesce(sum(readers), 0)::int as "all"
    from (select count(*) as readers from subscribers where state = 'active' group by author_id) lists`
  return row ?? { largest: 0, all: 0 }
}, Effect.scoped)

/** Checks that the pace of mail to readers is fast enough for the readers there are. Without a database there are none. */
export const mailPaceCheck = ({ DATABASE_URL, MAIL_RATE, PENNYPRESS_DATA }: Environment) =>
  Option.match(DATABASE_URL, {
    onSome: Effect.succeedSome,
    onNone: () => runningDatabase(PENNYPRESS_DATA, NAME)
  }).pipe(
    Effect.flatMap(
      Option.match({
        onSome: (url) => Effect.map(counts(url), (found) => paceFindings(found, MAIL_RATE)),
        onNone: () => Effect.succeed([])
      })
    ),
    Effect.provide(Reactivity.layer),
    Effect.timeout(PATIENCE),
    // The lines about the database say so.
    Effect.catchCause(() => Effect.succeed([]))
  )
