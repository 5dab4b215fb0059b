import { Clock, Duration, Effect } from "effect"
import { RateLimiter } from "effect/persistence"
import { Settings } from "../ports/Settings.ts"

/** Names the counter that all processes share. */
const KEY = "mail-rate"

/** The longest wait for a turn while a mail is claimed. A longer one leaves the mail to a later claim. */
const PATIENCE_MILLIS = 5_000

/** The rest after an answer by which a server asks for a slower pace, and after a failure of the counter. */
const REST_MILLIS = 60_000

/** The turn of a mail: at once, after a wait, or so far ahead that the mail is to wait in the outbox. */
type Turn = "now" | "waited" | "far"

/**
 * Makes the pace of mails to many readers: the rate of the operator, counted for all processes together, and a rest when a server
 * asks for one. Without a rate, mails leave as they come. While the store of the counter fails, they rest.
 */
export const makePace = Effect.gen(function* () {
  const limiter = yield* RateLimiter.make
  const { mailRate } = yield* Settings
  let restsUntil = 0

  const rest = (millis: number) =>
    Effect.map(Clock.currentTimeMillis, (at) => {
      restsUntil = Math.max(restsUntil, at + millis)
    })

  /** The mails of a second, or one mail in the seconds that it takes. */
  const turn = ({ mails, seconds }: NonNullable<typeof mailRate>) => {
    const limit = Math.max(1, Math.floor(mails / seconds))
    return limiter.consume({ key: KEY, limit, window: Duration.seconds((limit * seconds) / mails) })
  }

  const myTurn: Effect.Effect<Turn> = Effect.suspend(() =>
    mailRate === undefined
      ? Effect.succeed("now")
      : turn(mailRate).pipe(
          Effect.as<Turn>("now"),
          Effect.catch(({ reason }) => {
            const millis =
              reason._tag === "RateLimitExceeded"
                ? Math.max(1, Duration.toMillis(reason.retryAfter))
                : REST_MILLIS
            return millis > PATIENCE_MILLIS
              ? Effect.as(rest(millis), "far" as const)
              : Effect.sleep(millis).pipe(
                  Effect.andThen(myTurn),
                  Effect.map((it) => (it === "now" ? "waited" : it))
                )
          })
        )
  )

  return {
    /** Waits for the turn of a mail, unless that is far ahead. */
    myTurn,
    /** Lets no mail begin for a minute. */
    rest: rest(REST_MILLIS),
    /** Returns true while no mail may begin. */
    isResting: Effect.map(Clock.currentTimeMillis, (at) => at < restsUntil)
  }
})
