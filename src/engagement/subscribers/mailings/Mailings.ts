import { Context, Effect, Layer, Option } from "effect"
import type { Mailing as MailingState } from "../../../../schemas/engagement/subscribers/Mailing.ts"
import type { NotFound } from "../../../../schemas/platform/errors/common.ts"
import { PublicBaseUrl } from "../../../../schemas/platform/errors/PublicBaseUrl.ts"
import type { OwnerId, PostId } from "../../../../schemas/platform/Ids.ts"
import type { PublisherAuthority } from "../../../../schemas/platform/security/authorities.ts"
import type { Post } from "../../../../schemas/publishing/posts/Post.ts"
import { Mails } from "../../../platform/mail/Mails.ts"
import { Settings } from "../../../platform/ports/Settings.ts"
import { Transactions } from "../../../platform/sql/Transactions.ts"
import { DAY_MILLIS, later, now, wireTime } from "../../../platform/time/now.ts"
import { Doorbells } from "../../../platform/work/Doorbells.ts"
import type { Claim } from "../../../platform/work/lease.ts"
import { Posts } from "../../../publishing/posts/Posts.ts"
import { Publishing } from "../../../publishing/posts/Publishing.ts"
import { makeComposing } from "./composing.ts"
import { GRACE_MILLIS, type Mailing, MAILINGS, mailingStatements, type ProgressRow } from "./mailings.sql.ts"
import { withFooter } from "./postMail.ts"
import { makeFooter } from "./postMailBodies.ts"

/** Readers whose mails one step puts into the outbox. */
const BATCH = 1_000
/** Mails that wait in the outbox before a step adds more. */
const OUTBOX_MAX = 2_000
/** Time after which a mailing looks again whether the outbox has room. */
const ROOM_MILLIS = 10_000
/** Lateness from which a mail is not sent any more, as after a backup was restored. */
const LATE_MILLIS = DAY_MILLIS
/** Time for which a mail to a reader is tried. */
const MAIL_MILLIS = 7 * DAY_MILLIS

/** The mail about a post as one reader gets it. The links of its end lead nowhere. */
export interface MailPreview {
  readonly subject: string
  readonly html: string
  readonly text: string
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
    /** Returns the mail about a post as readers got it, or would get it now. */
    readonly preview: (publisher: PublisherAuthority, post: PostId) => Effect.Effect<MailPreview, NotFound>
    /** Returns the number of readers of an author. */
    readonly countReaders: (owner: OwnerId) => Effect.Effect<number>
    /** Returns the minutes that mails to this number of readers take; null without a pace. */
    readonly minutesFor: (recipients: number) => Effect.Effect<number | null>
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
      const publishing = yield* Publishing
      const transactions = yield* Transactions
      const bell = (yield* Doorbells).bell(MAILINGS)
      const compose = yield* makeComposing
      const footerOf = yield* makeFooter
      const origin = yield* PublicBaseUrl
      const { mailRate } = yield* Settings

      /** Completes the texts of a mail, as for one reader. */
      const whole = (texts: { readonly html: string; readonly text: string }, author: string) =>
        withFooter(texts, footerOf(author, `${origin}/subscriptions/end/…`))

      const freeze = Effect.fnUntraced(function* (mailing: Mailing) {
        const facts = yield* mailings.facts(mailing.id)
        const at = yield* now
        const isInTime = at.getTime() - mailing.created_at.getTime() <= LATE_MILLIS + GRACE_MILLIS
        if (Option.isNone(facts) || !isInTime) return yield* mailings.drop(mailing)
        const { handle, is_paid, language, markdown, name, price_raw, published_at, slug, title } =
          facts.value
        const { id, owner_id: ownerId } = mailing
        const url = `${origin}/@${handle}/${slug}`
        const post = { id, ownerId, title, author: name, url, language, priceRaw: price_raw }
        const texts = yield* compose({ ...post, markdown: markdown ?? "" })
        const bytes = Buffer.byteLength(whole(texts, name).html)
        const made = { ...texts, bytes, isPaid: is_paid, publishedAt: published_at }
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

      const countReaders = Effect.fn("Mailings.countReaders")((owner: OwnerId) =>
        Effect.map(mailings.count(owner), ({ readers }) => readers)
      )

      /** Returns the texts of the mail about a post as it is now. */
      const composed = Effect.fnUntraced(function* (ownerId: OwnerId, post: Post) {
        const { handle, name: author } = yield* mailings.author(ownerId)
        const { enablePaywall, freeContentMarkdown, id, language, paidContentMarkdown, priceRaw, slug } = post
        const free = freeContentMarkdown ?? ""
        const { isCut, subject, ...texts } = yield* compose({
          id,
          ownerId,
          title: post.title,
          author,
          url: post.url ?? `${origin}/@${handle}/${slug}`,
          language,
          priceRaw: enablePaywall ? priceRaw : null,
          markdown: enablePaywall ? free : [free, paidContentMarkdown ?? ""].filter(Boolean).join("\n\n")
        })
        return { subject, isCut, ...whole(texts, author) }
      })

      /** Returns what the next mail about a post is. */
      const next = Effect.fnUntraced(function* (ownerId: OwnerId, post: Post) {
        const recipients = yield* countReaders(ownerId)
        if (recipients === 0) return { recipients }
        const { html, isCut } = yield* composed(ownerId, post)
        return { recipients, bytes: Buffer.byteLength(html), isCut }
      })

      const read = Effect.fn("Mailings.read")(function* (publisher: PublisherAuthority, id: PostId) {
        const { ownerId } = publisher
        const post = yield* posts.read(publisher, id)
        const progress = yield* mailings.progress(ownerId, id)
        if (Option.isSome(progress)) {
          const mailing = stateOf(progress.value)
          return mailing.state === "waiting" ? { ...mailing, ...(yield* next(ownerId, post)) } : mailing
        }
        const isNext = post.mailReaders && (yield* publishing.nextPublication(publisher, id)) === "first"
        return isNext ? { ...NONE, ...(yield* next(ownerId, post)) } : NONE
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
          const post = yield* posts.read(publisher, id)
          const made = yield* mailings.texts(ownerId, id)
          if (Option.isNone(made)) return yield* composed(ownerId, post)
          const { subject, ...texts } = made.value
          return { subject, ...whole(texts, (yield* mailings.author(ownerId)).name) }
        }),
        countReaders,
        minutesFor: (recipients) =>
          Effect.succeed(
            mailRate === undefined ? null : Math.ceil((recipients * mailRate.seconds) / mailRate.mails / 60)
          ),
        sweep: Effect.flatMap(now, (at) => mailings.sweep(later(at, -MAIL_MILLIS - DAY_MILLIS)))
      })
    })
  )
}

const NONE = {
  state: "none",
  dueAt: null,
  recipients: 0,
  sent: 0,
  failed: 0,
  bytes: null,
  isCut: false
} as const

/** Returns the state of a mailing. One whose post is not the same any more is not sent, and one whose mails wait is on its way. */
const stateOf = (row: ProgressRow): MailingState => {
  const { bytes, due_at, failed, is_current, is_cut, left, recipients, state } = row
  const isStopped = !is_current && (state !== "sent" || left > 0)
  return {
    state: isStopped ? "cancelled" : state === "sent" && left > 0 ? "sending" : state,
    dueAt: state === "waiting" && !isStopped ? wireTime(due_at) : null,
    recipients,
    sent: Math.max(0, recipients - left - failed),
    failed,
    bytes,
    isCut: is_cut ?? false
  }
}
