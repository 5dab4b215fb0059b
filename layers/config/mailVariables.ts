import { Config } from "effect"
import type { Mailbox } from "../../src/platform/ports/Mailer.ts"
import { mailFrom } from "../mail/mailMessage.ts"
import { variable } from "./variable.ts"

/** Variables of the mail that the service sends. */
export const mailVariables = {
  SMTP_URL: variable(
    Config.option(Config.Redacted("SMTP_URL")),
    "outbox",
    "Mail server, `smtp://user:password@host:587`; without it, mail is written to files in `outbox`"
  ),
  MAIL_FROM: variable(
    mailFrom,
    "`<SITE_NAME> <pennypress@localhost>`",
    "Sender of all mail, `Name <address>`; an address alone gets the name of the site"
  )
} as const

/** Returns the sender of all mail: one without a name sends under that of the site. */
export const senderOf = (from: { readonly MAIL_FROM: Mailbox; readonly SITE_NAME: string }): Mailbox => ({
  name: from.SITE_NAME,
  ...from.MAIL_FROM
})
