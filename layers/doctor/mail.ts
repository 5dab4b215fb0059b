import { resolveTxt } from "node:dns/promises"
import { Duration, Effect, Option } from "effect"
import type { Environment } from "../config/environment.ts"
import { BAD_CERTIFICATE, greets, type SmtpFailure } from "../mail/MailerSmtp.ts"
import { about, type Finding } from "./Finding.ts"

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
        `${domain} has no SPF record, so receivers may treat its mail as spam.`,
        `Publish the SPF record of your mail server as a TXT record of ${domain}, such as "v=spf1 mx -all".`
      )
    )
  if (!policies.some((it) => /^v=DMARC1\b/i.test(it)))
    found.push(
      warning(
        `${domain} has no DMARC record, which large receivers require.`,
        `Publish a TXT record _dmarc.${domain}, such as "v=DMARC1; p=none", and let the mail server sign with DKIM.`
      )
    )
  return found
})

/** Says why the mail server cannot be used, and what to do. */
const faultOf = ({ code, command, responseCode, timeoutType, waitedFor, originalCode }: SmtpFailure) => {
  const name = originalCode ?? code ?? "no reason"
  if (code === "EAUTH")
    return fault(
      `The mail server refuses the login${responseCode === undefined ? "" : ` (${responseCode})`}.`,
      "Check the user and the password in SMTP_URL; special characters must be percent-encoded."
    )
  if (responseCode !== undefined)
    return fault(
      `The mail server answers ${responseCode} to ${command === "CONN" ? "the connection" : (command ?? "us")}.`,
      "Look up this answer in the log of the mail server, or ask its operator."
    )
  if (timeoutType !== undefined)
    return fault(
      `Waited in vain for ${waitedFor} of the mail server.`,
      waitedFor === "the connection"
        ? "Check the host and the port in SMTP_URL, and that no firewall drops the connection."
        : "Check the host and the port in SMTP_URL. A port with TLS from the first byte, such as 465, needs smtps."
    )
  if (code === "ETLS" || BAD_CERTIFICATE.test(name))
    return fault(
      `No TLS connection to the mail server: ${name}.`,
      "Check the host in SMTP_URL, and the certificate of the mail server and its name."
    )
  return fault(
    `The connection failed (${name}) while the doctor waited for ${waitedFor} of the mail server.`,
    "Check the host and the port in SMTP_URL, and that the mail server runs."
  )
}

type OfReaders = Pick<Environment, "ADMIN_TOKEN" | "MAIL_BOUNCES" | "MAIL_POSTAL_ADDRESS" | "SUBSCRIPTIONS">

/** Says what mail to readers lacks. */
const readersCheck = ({ ADMIN_TOKEN, MAIL_BOUNCES, MAIL_POSTAL_ADDRESS, SUBSCRIPTIONS }: OfReaders) => {
  if (Option.getOrElse(SUBSCRIPTIONS, () => "on") === "off") return []
  const found: Array<Finding> = []
  if (Option.isNone(MAIL_POSTAL_ADDRESS))
    found.push(
      warning(
        "Posts by mail end without a postal address, which the law of many countries asks for.",
        "Set MAIL_POSTAL_ADDRESS, or SUBSCRIPTIONS=off."
      )
    )
  if (Option.isSome(MAIL_BOUNCES) && Option.isNone(ADMIN_TOKEN))
    found.push(
      warning(
        "MAIL_BOUNCES is set without ADMIN_TOKEN, so your mail server cannot hand in reports.",
        "Set ADMIN_TOKEN for the service and for `pennypress admin mail bounce`."
      )
    )
  return found
}

/**
 * Checks that the mail server greets and takes the login, and what the domain of the sender says. It waits as long as
 * the service does.
 */
export const mailCheck = (
  {
    MAIL_FROM,
    PUBLIC_BASE_URL,
    SMTP_URL,
    ...readers
  }: OfReaders & Pick<Environment, "MAIL_FROM" | "PUBLIC_BASE_URL" | "SMTP_URL">,
  timeout?: Duration.Input
) =>
  Option.match(SMTP_URL, {
    onNone: () =>
      Effect.succeed([
        warning(
          "No mail server is set: mail is written to the folder outbox.",
          "Set SMTP_URL, so that people can sign in by email."
        )
      ]),
    onSome: (url) =>
      Effect.gen(function* () {
        const [duration] = yield* Effect.timed(
          greets({ url, from: MAIL_FROM, origin: PUBLIC_BASE_URL, timeout })
        )
        const seconds = Math.round(Duration.toSeconds(duration))
        const answers =
          seconds < 2 ? "The mail server answers." : `The mail server answers after ${seconds} s.`
        return [
          ok(answers),
          ...(yield* domainCheck(MAIL_FROM.address.replace(/^.*@/, ""))),
          ...readersCheck(readers)
        ]
      }).pipe(
        Effect.catch((failure) =>
          Effect.succeed([
            "_tag" in failure
              ? fault(failure.message, "Correct SMTP_URL. layers/README.md describes it.")
              : faultOf(failure)
          ])
        )
      )
  })
