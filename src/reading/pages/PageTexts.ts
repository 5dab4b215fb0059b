import { Cause, Context, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { DAY_MILLIS, later, now } from "../../platform/time/now.ts"
import { nextAttempt } from "../../platform/work/backoff.ts"
import type { Claim } from "../../platform/work/lease.ts"
import { PagesRepo } from "./PagesRepo.ts"
import { type ClaimedText, PageTextsRepo } from "./PageTextsRepo.ts"
import { renderingTexts } from "./renderingTexts.ts"

/** Time until texts and choices are made anew: there are newer Posts by then, and perhaps a newer release. */
const LIFE_MILLIS = DAY_MILLIS
/** Waits after a failed rendering. */
const BACKOFF = { firstMillis: 5_000, longestMillis: 3_600_000 }

/** The texts take one turn between authors who write and readers of other texts. */
const KEY = "page texts"

/**
 * The parts of the page of a Post that take long to make: its public text as HTML, and the choice of related Posts. Both are
 * stored for all processes soon after the Post is public, and made anew once a day. An edit of the text ends them within
 * its own transaction.
 */
export class PageTexts extends Context.Service<
  PageTexts,
  {
    readonly claim: (claim: Claim) => Effect.Effect<ReadonlyArray<ClaimedText>>
    /** Renders the text of a claimed Post, and stores it. A text that cannot be rendered now is tried again later. */
    readonly render: (claimed: ClaimedText) => Effect.Effect<void>
  }
>()("pennypress/reading/pages/PageTexts") {
  static readonly layer = Layer.effect(
    PageTexts,
    Effect.gen(function* () {
      const repo = yield* PageTextsRepo
      const { markdown } = yield* PagesRepo
      const { page } = yield* renderingTexts
      const random = yield* SecureRandom.SecureRandom

      const render = Effect.fnUntraced(
        function* (claimed: ClaimedText) {
          const text = yield* markdown(claimed.id)
          if (Option.isNone(text)) return
          const html = yield* page(KEY, claimed.id, text.value.public_text ?? "")
          yield* repo.store(claimed, html, later(yield* now, LIFE_MILLIS))
        },
        (effect, claimed) =>
          Effect.catchCauseIf(
            effect,
            (cause) => !Cause.hasInterruptsOnly(cause),
            Effect.fnUntraced(function* (cause) {
              yield* Effect.logWarning("The text of a Post is not stored; readers wait for it", cause)
              yield* repo.release(claimed, yield* nextAttempt(random, BACKOFF, claimed.attempts))
            })
          ).pipe(Effect.annotateLogs({ postId: claimed.id }))
      )

      return PageTexts.of({ claim: repo.claim, render })
    })
  )
}
