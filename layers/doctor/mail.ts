import { resolveTxt } from "node:dns/promises"
import { Effect, Option } from "effect"
import type { Environment } from "../config/environment.ts"
import { greets } from "../mail/MailerSmtp.ts"
import { about, type Finding, within } from "./Finding.ts"

const { fault, ok, warning } = about("mail")

const recordsOf = (name: string) =>
  Effect.orElseSucceed(
    Effect.tryPromise(() => resolveTxt(name)).pipe(
      Effect.map((records) => records.map((parts) => parts.join("")))
    ),
    (): ReadonlyArray<string> => []
  )

/** Checks what receivers look up about the domain of the sender. */
const domainCheck = Effect.fnUntraced(function* (domain: string) {
  const [own, policies] = yield* Effect.all([recordsOf(domain), recordsOf(`_dmarc.${domain}`)], {
    concurrency: 2
  })
  const found: Array<Finding> = []
  if (!own.some((it) => /^v=spf1\b/i.test(it)))
    found.push(
      warning(
        `${domain} has no SPF record, so receivers may take the mails for spam.`,
        `Publish the record that your mail server gives you as TXT of ${domain}, such as "v=spf1 mx -all".`
      )
    )
  if (!policies.some((it) => /^v=DMARC1\b/i.test(it)))
    found.push(
      warning(
        `${domain} has no DMARC record, which large receivers ask for.`,
        `Publish a TXT record _dmarc.${domain}, such as "v=DMARC1; p=none", and let the mail server sign with DKIM.`
      )
    )
  return found
})

/** Checks that the mail server greets and takes the login, and what the domain of the sender says. */
export const mailCheck = ({ MAIL_FROM, SMTP_URL }: Environment) =>
  Option.match(SMTP_URL, {
    onNone: () =>
      Effect.succeed([
        warning(
          "There is no mail server: mails are written to the folder outbox.",
          "Name one in SMTP_URL, so that people can sign in by email."
        )
      ]),
    onSome: (url) =>
      within(
        "mail",
        Effect.gen(function* () {
          const isGreeted = yield* greets({ url, from: MAIL_FROM })
          if (!isGreeted)
            return [
              fault(
                "The mail server does not greet, or refuses the login.",
                "Check host, port, user, password and TLS of SMTP_URL."
              )
            ]
          const domain = MAIL_FROM.address.replace(/^.*@/, "")
          return [ok("The mail server greets."), ...(yield* domainCheck(domain))]
        }),
        "Check host, port, user, password and TLS of SMTP_URL."
      )
  })
