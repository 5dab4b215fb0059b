import { Config, Duration, Effect, Layer, Option, Predicate, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { createTransport } from "nodemailer"
import { Mailer, MailRejected, MailUnavailable, type Mailbox } from "../../src/platform/ports/Mailer.ts"
import { composeMail, mailFrom } from "./mailMessage.ts"
import { parseSmtpUrl, type SmtpServer } from "./smtpUrl.ts"

/** `SMTP_URL` cannot be used. The problem does not repeat the URL, which holds a password. */
export class SmtpUrlInvalid extends Schema.TaggedError<SmtpUrlInvalid>()("SmtpUrlInvalid", {
  problem: Schema.String
}) {
  override get message() {
    return `SMTP_URL cannot be used: ${this.problem}`
  }
}

export interface Options {
  /** As `parseSmtpUrl` reads it. */
  readonly url: Redacted.Redacted
  readonly from: Mailbox
  /** How long to wait for a connection, for the greeting and for each answer; 2 s unless told. */
  readonly timeout?: Duration.Input | undefined
  /** How long one mail may take in all, against a server that answers but slowly; 15 s unless told. */
  readonly totalTimeout?: Duration.Input | undefined
  /** A certificate authority of one's own in PEM, in the place of the public ones. */
  readonly certificateAuthority?: string | undefined
}

/** What nodemailer tells of a failure. */
const SmtpFailure = Schema.Struct({
  code: Schema.optionalKey(Schema.String),
  originalCode: Schema.optionalKey(Schema.String),
  command: Schema.optionalKey(Schema.String),
  responseCode: Schema.optionalKey(Schema.Int)
})
type SmtpFailure = typeof SmtpFailure.Type

/** The connection was never there, so that nothing can have been delivered. */
const NOT_CONNECTED = new Set([
  "EDNS",
  "ETLS",
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EHOSTDOWN",
  "ENOTFOUND",
  "EAI_AGAIN"
])

/** OpenSSL's names for a certificate that is not the server's, such as `CERT_HAS_EXPIRED`. */
const BAD_CERTIFICATE = /CERT|LEAF_SIGNATURE/

const OURS_TO_MEND = new Set(["EAUTH", "ENOAUTH", "ECONFIG"])

const ofAnswer = (status: number, command: string | undefined) => {
  if (status < 500) return new MailUnavailable({ reason: "deferred" })
  // 503 is a confused session and 530 asks us to log in: neither is about the recipient.
  if (status === 503 || status === 530) return new MailUnavailable({ reason: "refused_us" })
  if (command === "RCPT TO") return new MailRejected({ reason: "recipient" })
  if (command === "DATA") return new MailRejected({ reason: "message" })
  return new MailUnavailable({ reason: "refused_us" })
}

/** The codes of a failure. The server's words are left out, as they often repeat addresses. */
const codesOf = (cause: unknown): SmtpFailure =>
  Option.getOrElse(Schema.decodeUnknownOption(SmtpFailure)(cause), () => ({}))

/**
 * What a failed send means. Silence or a lost connection is `unknown` whenever it came, as nodemailer does not tell
 * whether the message had been sent by then.
 */
const meaningOf = (failure: SmtpFailure): MailRejected | MailUnavailable => {
  if (failure.responseCode !== undefined) return ofAnswer(failure.responseCode, failure.command)
  const codes = [failure.code, failure.originalCode].filter(Predicate.isNotUndefined)
  if (codes.some((code) => OURS_TO_MEND.has(code))) return new MailUnavailable({ reason: "refused_us" })
  const isConnected = !codes.some((code) => NOT_CONNECTED.has(code) || BAD_CERTIFICATE.test(code))
  if (!isConnected) return new MailUnavailable({ reason: "connection" })
  // Without an answer of the server it is nodemailer that cannot address it, as without SMTPUTF8.
  if (codes.includes("EENVELOPE")) return new MailRejected({ reason: "address" })
  return new MailUnavailable({ reason: "unknown" })
}

const transportOf = (server: SmtpServer, options: Options) => {
  const timeout = Duration.toMillis(options.timeout ?? Duration.seconds(2))
  return createTransport({
    host: server.host,
    port: server.port,
    secure: server.tls,
    requireTLS: server.startTls === "required",
    ignoreTLS: server.startTls === "never",
    ...Option.match(server.login, {
      onNone: () => ({}),
      onSome: ({ password, user }) => ({ auth: { user, pass: Redacted.value(password) } })
    }),
    tls: options.certificateAuthority === undefined ? {} : { ca: options.certificateAuthority },
    connectionTimeout: timeout,
    greetingTimeout: timeout,
    socketTimeout: timeout,
    dnsTimeout: timeout,
    socketCloseTimeout: timeout,
    disableFileAccess: true,
    disableUrlAccess: true
  })
}

const make = Effect.fnUntraced(function* (options: Options) {
  const random = yield* SecureRandom.SecureRandom
  const server = yield* Effect.fromResult(parseSmtpUrl(options.url)).pipe(
    Effect.mapError((problem) => new SmtpUrlInvalid({ problem }))
  )
  const transport = yield* Effect.acquireRelease(
    Effect.sync(() => transportOf(server, options)),
    (transport) => Effect.sync(() => transport.close())
  )
  return Mailer.of({
    send: Effect.fn("Mailer.send")(function* (mail) {
      const message = yield* composeMail(options.from, mail).pipe(
        Effect.provideService(SecureRandom.SecureRandom, random)
      )
      yield* Effect.tryPromise({
        try: (signal) => transport.sendMail({ ...message, signal }),
        catch: codesOf
      }).pipe(
        Effect.tapError((codes) => Effect.annotateLogs(Effect.logWarning("A mail did not go out"), codes)),
        Effect.mapError(meaningOf),
        Effect.timeoutOrElse({
          duration: options.totalTimeout ?? Duration.seconds(15),
          orElse: () => Effect.fail(new MailUnavailable({ reason: "unknown" }))
        })
      )
    })
  })
})

/** Mail through an SMTP server, one connection a mail. */
export const layer = (options: Options) => Layer.effect(Mailer, make(options))

/** The same out of `SMTP_URL` and `MAIL_FROM`. */
export const layerConfig = Layer.unwrap(
  Effect.map(Config.all({ url: Config.Redacted("SMTP_URL"), from: mailFrom }), layer)
)
