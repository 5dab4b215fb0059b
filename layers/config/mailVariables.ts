import { Config, Option, Schema, SchemaTransformation } from "effect"
import { isEmailAddress } from "../../schemas/platform/EmailAddress.ts"
import type { Mailbox } from "../../src/platform/ports/Mailer.ts"
import type { MailRate } from "../../src/platform/ports/Settings.ts"
import { BOUNCES_LOCAL_MAX, mailFrom } from "../mail/mailMessage.ts"
import { variable } from "./variable.ts"

const SECONDS = { minute: 60, hour: 3600, day: 86_400 } as const

const RATE = /^([1-9]\d{0,6})\/(minute|hour|day)$/

/** A number of mails in a time, `600/minute`; not fewer than one in a minute. */
const MailRateFromString = Schema.String.check(
  Schema.isPattern(RATE, { expected: "a rate such as 600/minute or 2000/day" })
).pipe(
  Schema.decodeTo(
    Schema.Struct({ mails: Schema.Int, seconds: Schema.Int }).check(
      Schema.makeFilter(({ mails, seconds }: MailRate) => seconds / mails <= SECONDS.minute, {
        expected: "at least one mail in a minute, which is 1440/day"
      })
    ),
    SchemaTransformation.transform({
      decode: (text): MailRate => {
        const [, mails, unit] = RATE.exec(text) ?? []
        return { mails: Number(mails), seconds: SECONDS[unit as keyof typeof SECONDS] }
      },
      encode: ({ mails, seconds }) => `${(mails * SECONDS.day) / seconds}/day`
    })
  )
)

/** The address for reports about mails. A `+` and the token of a reader follow its part before the `@`. */
const BouncesAddress = Schema.String.check(
  Schema.makeFilter(
    (text: string) =>
      isEmailAddress(text) && !text.includes("+") && text.lastIndexOf("@") <= BOUNCES_LOCAL_MAX,
    {
      expected: `an address such as bounces@mail.example, without a + and with at most ${BOUNCES_LOCAL_MAX} characters before the @`
    }
  )
)

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
  ),
  SUBSCRIPTIONS: variable(
    Config.option(Config.Literals(["on", "off"], "SUBSCRIPTIONS")),
    "`on` with `SMTP_URL` or a base URL of this machine, else `off`",
    "`off` takes no new readers who get the posts of an author by mail"
  ),
  MAIL_RATE: variable(
    Config.schema(MailRateFromString, "MAIL_RATE").pipe(Config.withDefault({ mails: 600, seconds: 60 })),
    "`600/minute`",
    "Posts by mail that all processes send together: `600/minute`, `30000/hour` or `2000/day`"
  ),
  MAIL_BOUNCES: variable(
    Config.option(Config.schema(BouncesAddress, "MAIL_BOUNCES")),
    "none",
    "Address for reports about posts by mail, `bounces@mail.example`; your mail server hands them to `pennypress admin mail bounce`"
  ),
  MAIL_POSTAL_ADDRESS: variable(
    Config.option(Config.NonEmptyString("MAIL_POSTAL_ADDRESS")),
    "none",
    "Postal address of the operator, which the law of many countries asks for at the end of mail to readers"
  )
} as const

/** Returns true for a service that takes new readers by mail. */
export const takesSubscriptions = (
  from: Pick<Mails, "SMTP_URL" | "SUBSCRIPTIONS">,
  isLocal: boolean
): boolean =>
  Option.getOrElse(from.SUBSCRIPTIONS, () => (isLocal || Option.isSome(from.SMTP_URL) ? "on" : "off")) ===
  "on"

type Mails = {
  readonly [Name in keyof typeof mailVariables]: Config.Success<(typeof mailVariables)[Name]["config"]>
}

/** Returns the sender of all mail: one without a name sends under that of the site. */
export const senderOf = (from: { readonly MAIL_FROM: Mailbox; readonly SITE_NAME: string }): Mailbox => ({
  name: from.SITE_NAME,
  ...from.MAIL_FROM
})
