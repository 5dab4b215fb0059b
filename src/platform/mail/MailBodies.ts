import { Context, Effect, Layer, type Option } from "effect"

/** Names the mail of one reader among those that share a body. */
export interface SharedMail {
  readonly bodyId: string
  readonly readerId: string
}

/** The mail of one reader, as it leaves. */
export interface MailBody {
  /** The name of the sender, before the address of all mail. */
  readonly from: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** The link that ends such mails for this reader. */
  readonly unsubscribeUrl: string
  /** Names the list of mails (RFC 2919). */
  readonly listId: string
  /** Names the reader in the envelope, for reports of mail servers: at most 48 hexadecimal digits. */
  readonly bounceToken: string
  /** Records that the server refused the mail for good; `isOfReader` for their mailbox, and not for its content. */
  readonly refused: (isOfReader: boolean) => Effect.Effect<void>
}

/**
 * Makes the mails that many readers get, when each leaves. The outbox keeps two ids of such a mail, and the feature that posts it
 * keeps the text, once.
 */
export class MailBodies extends Context.Service<
  MailBodies,
  {
    /** Returns the mail of a reader; none for one who gets it no more. */
    readonly bodyOf: (mail: SharedMail) => Effect.Effect<Option.Option<MailBody>>
    /** Counts mails of a body that were not sent in their time. */
    readonly expired: (bodyId: string, count: number) => Effect.Effect<void>
  }
>()("pennypress/platform/mail/MailBodies") {}

/** A service that mails nothing to many readers. */
export const withoutMailBodies = Layer.succeed(MailBodies, {
  bodyOf: () => Effect.succeedNone,
  expired: () => Effect.void
})
