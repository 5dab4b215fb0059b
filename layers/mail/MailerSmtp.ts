import { Config, Duration, Effect, Layer, Option, Predicate, Redacted, Schema } from "effect"
import { createTransport } from "nodemailer"
import { Mailer, MailRejected, MailUnavailable, type Mailbox } from "../../src/platform/ports/Mailer.ts"
import { composeMail, mailFrom } from "./mailMessage.ts"
import { parseSmtpUrl, type SmtpServer } from "./smtpUrl.ts"

/** `SMTP_URL` cannot be used. The message does not repeat the URL, which holds a password. */
export class SmtpUrlInvalid extends Schema.TaggedError<SmtpUrlInvalid>()("SmtpUrlInvalid", {
  problem: Schema.String
}) {
  override get message() {
    return `SMTP_URL cannot be used: ${this.problem}`
  }
}

export interface Options {
  /** The result of `parseSmtpUrl`. */
  readonly url: Redacted.Redacted
  readonly from: Mailbox
  /** Time for the connection, for the greeting and for each answer; 2 seconds by default. */
  readonly timeout?: Duration.Input | undefined
  /** Time for one mail in all; 15 seconds by default. */
  readonly totalTimeout?: Duration.Input | undefined
  /** PEM of a private certificate authority, instead of the public ones. */
  readonly certificateAuthority?: string | undefined
}

/** The members of nodemailer's errors that matter here. */
const SmtpFailure = Schema.Struct({
  code: Schema.optionalKey(Schema.String),
  originalCode: Schema.optionalKey(Schema.String),
  command: Schema.optionalKey(Schema.String),
  responseCode: Schema.optionalKey(Schema.Int)
})
type SmtpFailure = typeof SmtpFailure.Type

/** Codes of a failed connection: the server has received nothing. */
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

/** OpenSSL's names for a bad certificate, such as `CERT_HAS_EXPIRED`. */
const BAD_CERTIFICATE = /CERT|LEAF_SIGNATURE/

const OURS_TO_MEND = new Set(["EAUTH", "ENOAUTH", "ECONFIG"])

const ofAnswer = (status: number, command: string | undefined) => {
  if (status < 500) return new MailUnavailable({ reason: "deferred" })
  // 503 is a confused session and 530 asks for a login: neither is about the recipient.
  if (status === 503 || status === 530) return new MailUnavailable({ reason: "refused_us" })
  if (command === "RCPT TO") return new MailRejected({ reason: "recipient" })
  if (command === "DATA") return new MailRejected({ reason: "message" })
  return new MailUnavailable({ reason: "refused_us" })
}

/** Returns the codes of a failure, without the server's words, which often repeat addresses. */
const codesOf = (cause: unknown): SmtpFailure =>
  Option.getOrElse(Schema.decodeUnknownOption(SmtpFailure)(cause), () => ({}))

/**
 * Returns the meaning of a failed send. Silence and a lost connection are `unknown`, as nodemailer does not tell when
 * they came.
 */
const meaningOf = (failure: SmtpFailure): MailRejected | MailUnavailable => {
  if (failure.responseCode !== undefined) return ofAnswer(failure.responseCode, failure.command)
  const codes = [failure.code, failure.originalCode].filter(Predicate.isNotUndefined)
  if (codes.some((code) => OURS_TO_MEND.has(code))) return new MailUnavailable({ reason: "refused_us" })
  const isConnected = !codes.some((code) => NOT_CONNECTED.has(code) || BAD_CERTIFICATE.test(code))
  if (!isConnected) return new MailUnavailable({ reason: "connection" })
  // Without an answer of the server, nodemailer itself cannot address the mail, as without SMTPUTF8.
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

const makeTransport = Effect.fnUntraced(function* (options: Options) {
  const server = yield* Effect.fromResult(parseSmtpUrl(options.url)).pipe(
    Effect.mapError((problem) => new SmtpUrlInvalid({ problem }))
  )
  return yield* Effect.acquireRelease(
    Effect.sync(() => transportOf(server, options)),
    (transport) => Effect.sync(() => transport.close())
  )
})

/** Returns true if the server greets and takes the login. Sends nothing. */
export const greets = (options: Options) =>
  makeTransport(options).pipe(
    Effect.flatMap((transport) => Effect.tryPromise(() => transport.verify())),
    Effect.as(true),
    Effect.orElseSucceed(() => false),
    Effect.scoped
  )

const make = Effect.fnUntraced(function* (options: Options) {
  const transport = yield* makeTransport(options)
  return Mailer.of({
    send: Effect.fn("Mailer.send")(function* (mail) {
      const message = yield* composeMail(options.from, mail)
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

/** Sends mail through an SMTP server, one connection for each mail. */
export const layer = (options: Options) => Layer.effect(Mailer, make(options))

/** As `layer`, from `SMTP_URL` and `MAIL_FROM`. */
export const layerConfig = Layer.unwrap(
  Effect.map(Config.all({ url: Config.Redacted("SMTP_URL"), from: mailFrom }), layer)
)
