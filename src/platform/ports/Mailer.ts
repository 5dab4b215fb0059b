import { Context, Schema, type Effect } from "effect"

/** A mailbox and the name of its owner. */
export interface Mailbox {
  readonly name?: string | undefined
  readonly address: string
}

/** A message to one person. Its texts hold codes and links that grant access, and must not be logged. */
export interface Mail {
  /**
   * Identifies the mail. It is the same at each attempt, so a mailbox that gets the mail twice shows one. Becomes its
   * `Message-ID`.
   */
  readonly id: string
  readonly to: Mailbox
  /** The name of the sender, in place of that of all mail. */
  readonly fromName?: string | undefined
  readonly subject: string
  readonly text: string
  readonly html: string
  /**
   * The link that switches mails of this kind off, on a page or by one click in a mail program (RFC 8058). Becomes
   * `List-Unsubscribe` and `List-Unsubscribe-Post`. Undefined for a mail that the recipient asked for.
   */
  readonly unsubscribeUrl?: string | undefined
  /** Names the list of a mail that many readers get (RFC 2919). Such mails share connections. */
  readonly listId?: string | undefined
  /** Names the reader in the envelope, so that a report about the mail names them (VERP). */
  readonly bounceToken?: string | undefined
}

/**
 * The mail may be sent later. `connection`: the server did not receive it. `deferred`: the server asks for a retry
 * (4xx). `mailbox_deferred`: the same, for this mailbox alone, as when it is full. `refused_us`: the server refuses our login or sender, which an operator must fix. `unknown`: the server went
 * silent or closed the connection. If the text had left, the server may have accepted the mail.
 */
export class MailUnavailable extends Schema.TaggedError<MailUnavailable>()("MailUnavailable", {
  reason: Schema.Literals(["connection", "deferred", "mailbox_deferred", "refused_us", "unknown"])
}) {}

/**
 * The mail will never be sent. `address`: the address is malformed. `recipient`: the server refuses the mailbox.
 * `message`: the server refuses the content.
 */
export class MailRejected extends Schema.TaggedError<MailRejected>()("MailRejected", {
  reason: Schema.Literals(["address", "recipient", "message"])
}) {}

/** Sends mail from the service's own address. */
export class Mailer extends Context.Service<
  Mailer,
  {
    /**
     * Returns once the next server has accepted the mail for delivery. Runs `handOver` before the text leaves: until
     * then the server cannot deliver the mail. Sends no text if `handOver` dies.
     */
    readonly send: (
      mail: Mail,
      handOver: Effect.Effect<void>
    ) => Effect.Effect<void, MailUnavailable | MailRejected>
  }
>()("pennypress/platform/ports/Mailer") {}
