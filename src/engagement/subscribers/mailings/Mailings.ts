import { Context, Effect, Layer, Option } from "effect"
import type { Mailing as MailingState } from "../../../../schemas/engagement/subscribers/Mailing.ts"
import type { NotFound } from "../../../../schemas/platform/errors/common.ts"
import { PublicBaseUrl } from "../../../../schemas/platform/errors/PublicBaseUrl.ts"
import type { OwnerId, PostId } from "../../../../schemas/platform/Ids.ts"
import type { PublisherAuthority } from "../../../../schemas/platform/security/authorities.ts"
import { Mails } from "../../../platform/mail/Mails.ts"
import { Settings } from "../../../platform/ports/Settings.ts"
import { Transactions } from "../../../platform/sql/Transactions.ts"
import { DAY_MILLIS, later, now, wireTime } from "../../../platform/time/now.ts"
import { Doorbells } from "../../../platform/work/Doorbells.ts"
import type { Claim } from "../../../platform/work/lease.ts"
import { Posts } from "../../../publishing/posts/Posts.ts"
import { makeComposing, type ReadablePost } from "./composing.ts"
import { GRACE_MILLIS, type Mailing, MAILINGS, mailingStatements, type ProgressRow } from "./mailings.sql.ts"
import { withFooter } from "./postMail.ts"
import { makeFooter } from "./postMailBodies.ts"

/** Readers whose mails one step puts into the outbox. */
const BATCH = 1_000
/** Mails that wait in the outbox before a step adds more. */
const OUTBOX_MAX = 2_000
/** Time after which a mailing looks again whether the outbox has room. */
const ROOM_MILLIS = 10_000
/** Age of a post from which its mail is no news any more, as after a backup was restored. */
const NEWS_MILLIS = DAY_MILLIS
/** Time for which a mail to a reader is tried. */
const MAIL_MILLIS = 7 * DAY_MILLIS

/** The mail about a post before it is sent. */
export interface MailPreview {
  readonly subject: string
  readonly html: string
  readonly text: string
  readonly isCut: boolean
  /** Bytes of its HTML. */
  readonly bytes: number
  /** The readers who get the next mail. */
  readonly recipients: number
  /** The minutes that mails to all of them take; null without a pace. */
  readonly minutes: number | null
}

/** The mails about posts, which readers get once: five minutes after the first publication. */
export class Mailings extends Context.Service<
  Mailings,
  {
    /** Claims mailings that are due, oldest first. */
    readonly claim: (claim: Claim) => Effect.Effect<ReadonlyArray<Mailing>>
    /**
     * Freezes the texts of a mailing, or puts the mails of its next readers into the outbox. One transaction writes these mails
     * and the position, under the lease, so a reader gets one mail, also after a crash.
     */
    readonly step: (mailing: Mailing) => Effect.Effect<void>
    /** Returns how far the mail about an own post is. */
    readonly read: (publisher: PublisherAuthority, post: PostId) => Effect.Effect<MailingState, NotFound>
    /** Sends the mail at once, or cancels it. What is decided already stays. */
    readonly act: (
      publisher: PublisherAuthority,
      post: PostId,
      action: "send_now" | "cancel"
    ) => Effect.Effect<MailingState, NotFound>
    /** Returns the mail about a post as readers would get it now. */
    readonly preview: (publisher: PublisherAuthority, post: PostId) => Effect.Effect<MailPreview, NotFound>
    /** Returns how many readers get the next mail, and how long that takes. */
    readonly reach: (owner: OwnerId) => Effect.Effect<Pick<MailPreview, "recipients" | "minutes">>
    /** Erases texts whose mails have left or expired. */
    readonly sweep: Effect.Effect<void>
  }
>()("pennypress/engagement/subscribers/mailings/Mailings") {
  static readonly layer = Layer.effect(
    Mailings,
    Effect.gen(function* () {
      const mailings = yield* mailingStatements
      const mails = yield* Mails
      const posts = yield* Posts
      const transactions = yield* Transactions
      const bell = (yield* Doorbells).bell(MAILINGS)
      const compose = yield* makeComposing
      const footerOf = yield* makeFooter
      const origin = yield* PublicBaseUrl
      const { mailRate } = yield* Settings

      const freeze = Effect.fnUntraced(function* (mailing: Mailing) {
        const facts = yield* mailings.facts(mailing.id)
        const at = yield* now
        const isNews = at.getTime() - mailing.created_at.getTime() <= NEWS_MILLIS + GRACE_MILLIS
        if (Option.isNone(facts) || !isNews) return yield* mailings.drop(mailing)
        const { handle, is_paid, language, markdown, name, price_raw, published_at, slug, title } =
          facts.value
        const { id, owner_id: ownerId } = mailing
        const url = `${origin}/@${handle}/${slug}`
        const post = { id, ownerId, title, author: name, url, language, priceRaw: price_raw }
        const texts = yield* compose({ ...post, markdown: markdown ?? "" })
        const made = { ...texts, isPaid: is_paid, publishedAt: published_at }
        if (yield* mailings.freeze(mailing, made, yield* now)) yield* bell.ring
      })

      const post = Effect.fnUntraced(function* (mailing: Mailing) {
        const held = yield* mailings.hold(mailing)
        if (Option.isNone(held)) return
        if (!held.value.is_current) return yield* mailings.stop(mailing.id, null)
        const at = yield* now
        if ((yield* mails.countShared(OUTBOX_MAX)) >= OUTBOX_MAX)
          return yield* mailings.wait(mailing, later(at, ROOM_MILLIS))
        const readers = yield* mailings.readers(mailing, BATCH)
        const last = readers.at(-1)?.readerId ?? null
        const hasMore = readers.length === BATCH
        if (readers.length > 0)
          yield* mails.postShared({ bodyId: mailing.id, at, expiresAt: later(at, MAIL_MILLIS), readers })
        yield* mailings.advance(mailing, last, readers.length, hasMore, at)
        if (hasMore) yield* bell.ring
      })

      const reach = Effect.fn("Mailings.reach")(function* (owner: OwnerId) {
        const { readers: recipients } = yield* mailings.count(owner)
        return {
          recipients,
          minutes:
            mailRate === undefined ? null : Math.ceil((recipients * mailRate.seconds) / mailRate.mails / 60)
        }
      })

      const read = Effect.fn("Mailings.read")(function* (publisher: PublisherAuthority, id: PostId) {
        yield* posts.read(publisher, id)
        const progress = yield* mailings.progress(publisher.ownerId, id)
        if (Option.isSome(progress) && progress.value.state !== "waiting") return stateOf(progress.value)
        const { recipients } = yield* reach(publisher.ownerId)
        if (Option.isNone(progress)) return { ...NONE, recipients }
        return { ...stateOf(progress.value), recipients }
      })

      return Mailings.of({
        claim: mailings.claim,
        step: Effect.fn("Mailings.step")((mailing) =>
          mailing.state === "waiting" ? freeze(mailing) : transactions.run(post(mailing))
        ),
        read,
        act: Effect.fn("Mailings.act")(function* (publisher, id, action) {
          yield* posts.read(publisher, id)
          if (action === "cancel") yield* mailings.cancel(publisher.ownerId, id)
          else {
            yield* mailings.sendNow(publisher.ownerId, id, yield* now)
            yield* bell.ring
          }
          return yield* read(publisher, id)
        }),
        preview: Effect.fn("Mailings.preview")(function* (publisher, id) {
          const { ownerId } = publisher
          const it = yield* posts.read(publisher, id)
          const { author, url } = yield* mailings.author(ownerId).pipe(
            Effect.map(({ handle, name }) => ({
              author: name,
              url: it.url ?? `${origin}/@${handle}/${it.slug}`
            }))
          )
          const free = it.freeContentMarkdown ?? ""
          const readable: ReadablePost = {
            id,
            ownerId,
            title: it.title ?? "",
            author,
            url,
            language: it.language,
            priceRaw: it.enablePaywall ? it.priceRaw : null,
            markdown: it.enablePaywall
              ? free
              : [free, it.paidContentMarkdown ?? ""].filter(Boolean).join("\n\n")
          }
          const { isCut, subject, ...texts } = yield* compose(readable)
          const whole = withFooter(texts, footerOf(author, `${origin}/subscriptions/end/…`))
          const bytes = Buffer.byteLength(whole.html)
          return { subject, ...whole, isCut, bytes, ...(yield* reach(ownerId)) }
        }),
        reach,
        sweep: Effect.flatMap(now, (at) => mailings.sweep(later(at, -MAIL_MILLIS - DAY_MILLIS)))
      })
    })
  )
}

const NONE = { state: "none", dueAt: null, recipients: 0, sent: 0, failed: 0 } as const

/** Returns the state of a mailing. One whose post is not the same any more is not sent, and one whose mails wait is on its way. */
const stateOf = ({ due_at, failed, is_current, left, recipients, state }: ProgressRow): MailingState => {
  const isStopped = !is_current && (state !== "sent" || left > 0)
  return {
    state: isStopped ? "cancelled" : state === "sent" && left > 0 ? "sending" : state,
    dueAt: state === "waiting" && !isStopped ? wireTime(due_at) : null,
    recipients,
    sent: Math.max(0, recipients - left - failed),
    failed
  }
}
