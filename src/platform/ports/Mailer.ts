import { Context, Schema, type Effect } from "effect"

/** A mailbox and how its owner is called. */
export interface Mailbox {
  readonly name?: string | undefined
  readonly address: string
}

/** A message to one person. Its parts hold codes and links that let people in: they belong in no log. */
export interface Mail {
  readonly to: Mailbox
  readonly subject: string
  readonly text: string
  readonly html: string
}

/**
 * The mail may go out later. `connection`: nobody took it. `deferred`: the server says to come back (4xx).
 * `refused_us`: the server refuses our login or sender, which an operator must mend. `unknown`: the server went
 * silent or away, perhaps after it had taken the mail, so sending it again may deliver it twice.
 */
export class MailUnavailable extends Schema.TaggedError<MailUnavailable>()("MailUnavailable", {
  reason: Schema.Literals(["connection", "deferred", "refused_us", "unknown"])
}) {}

/**
 * This mail will never go out. `address`: it is no mailbox. `recipient`: the server knows no such mailbox or takes
 * nothing for it. `message`: the server refuses the content.
 */
export class MailRejected extends Schema.TaggedError<MailRejected>()("MailRejected", {
  reason: Schema.Literals(["address", "recipient", "message"])
}) {}

/** Sends mail from the service's own address. */
export class Mailer extends Context.Service<
  Mailer,
  {
    /** Returns once the next server has taken the mail for delivery. */
    readonly send: (mail: Mail) => Effect.Effect<void, MailUnavailable | MailRejected>
  }
>()("pennypress/platform/ports/Mailer") {}
