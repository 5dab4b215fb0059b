import { Readable } from "node:stream"
import { Config, Duration, Effect, Layer, Option, Pool, Predicate, Redacted, Schema } from "effect"
import MailComposer from "nodemailer/lib/mail-composer"
import SMTPConnection from "nodemailer/lib/smtp-connection"
import { Mailer, MailRejected, MailUnavailable, type Mailbox } from "../../src/platform/ports/Mailer.ts"
import { composeMail, mailFrom } from "./mailMessage.ts"
import { parseSmtpUrl } from "./smtpUrl.ts"

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
  /** The address for reports about mails to readers, without the token of a reader. */
  readonly bounces?: string | undefined
  /** The origin of the site. Its host, or the domain of `from`, is the name by which the session begins. */
  readonly origin?: string | undefined
  /**
   * Time for the connection, for the greeting and for each answer; a minute by default. A relay that checks a sender
   * or a text may need that long.
   */
  readonly timeout?: Duration.Input | undefined
  /** PEM of a private certificate authority, instead of the public ones. */
  readonly certificateAuthority?: string | undefined
}

/** The members of nodemailer's errors that matter here. */
const SmtpFailure = Schema.Struct({
  code: Schema.optionalKey(Schema.String),
  originalCode: Schema.optionalKey(Schema.String),
  command: Schema.optionalKey(Schema.String),
  responseCode: Schema.optionalKey(Schema.Int),
  /** The enhanced status of the answer (RFC 3463). */
  status: Schema.optionalKey(Schema.String),
  timeoutType: Schema.optionalKey(Schema.String)
})
/** A failed send or login. `waitedFor` names what the server owed when it failed. */
export type SmtpFailure = typeof SmtpFailure.Type & { readonly waitedFor: string }

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
export const BAD_CERTIFICATE = /CERT|LEAF_SIGNATURE/

const OURS_TO_MEND = new Set(["EAUTH", "ENOAUTH", "ECONFIG"])

/** An enhanced status about the mailbox of the recipient. 5.1.7 and 5.1.8 are about the sender, and 5.7 about both. */
const OF_RECIPIENT = /^5\.(?:1\.(?![78]$)|2\.)/

const ofAnswer = (code: number, { command, status }: SmtpFailure) => {
  // An answer that no command has.
  if (code < 400) return new MailUnavailable({ reason: "unknown" })
  // 421 closes the session, and 454 is a login or a relay that is out of order.
  const isOfMailbox = command === "RCPT TO" && code !== 421 && code !== 454
  if (code < 500) return new MailUnavailable({ reason: isOfMailbox ? "mailbox_deferred" : "deferred" })
  // 503 is a confused session and 530 asks for a login: neither is about the recipient.
  if (code === 503 || code === 530) return new MailUnavailable({ reason: "refused_us" })
  // Servers refuse our address, name and login here, too.
  if (command === "RCPT TO" && (status === undefined || OF_RECIPIENT.test(status)))
    return new MailRejected({ reason: "recipient" })
  if (command === "DATA") return new MailRejected({ reason: "message" })
  return new MailUnavailable({ reason: "refused_us" })
}

/** Returns the meaning of a failed send. Silence and a lost connection are `unknown`: the caller knows what had left. */
const meaningOf = (failure: SmtpFailure): MailRejected | MailUnavailable => {
  if (failure.responseCode !== undefined) return ofAnswer(failure.responseCode, failure)
  const codes = [failure.code, failure.originalCode].filter(Predicate.isNotUndefined)
  if (codes.some((code) => OURS_TO_MEND.has(code))) return new MailUnavailable({ reason: "refused_us" })
  const isConnected = !codes.some((code) => NOT_CONNECTED.has(code) || BAD_CERTIFICATE.test(code))
  if (!isConnected) return new MailUnavailable({ reason: "connection" })
  // Without an answer of the server, nodemailer itself cannot address the mail, as without SMTPUTF8.
  if (codes.includes("EENVELOPE")) return new MailRejected({ reason: "address" })
  return new MailUnavailable({ reason: "unknown" })
}

/** A host of the network: no bare name, and no address of the internet protocol, which the URL parser ends in a number. */
const DOMAIN = /\.[a-z][a-z\d-]*$/i

/**
 * Returns the name after EHLO (RFC 5321). Relays look it up, so the name of a container does not do. Undefined for the
 * name of this machine, if no setting has a domain.
 */
const helloName = ({ from, origin }: Options) =>
  [origin, `http://${from.address.slice(from.address.lastIndexOf("@") + 1)}`]
    .map((url) => URL.parse(url ?? "")?.hostname ?? "")
    .find((host) => DOMAIN.test(host))

/** The enhanced status at the beginning of an answer. */
const STATUS = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/

const statusOf = (cause: unknown) =>
  Predicate.hasProperty(cause, "response") && typeof cause.response === "string"
    ? STATUS.exec(cause.response)?.[1]
    : undefined

/** The commands that a server answers. The rest of their line may hold addresses and passwords. */
const COMMAND = /^(?:EHLO|HELO|STARTTLS|AUTH|MAIL FROM|RCPT TO|DATA)/

/** Opens a session: connects, and logs in if the URL has a login. It ends with the scope. */
const openSession = Effect.fnUntraced(function* (options: Options) {
  const { host, login, port, startTls, tls } = yield* Effect.fromResult(parseSmtpUrl(options.url)).pipe(
    Effect.mapError((problem) => new SmtpUrlInvalid({ problem }))
  )
  const timeout = Duration.toMillis(options.timeout ?? Duration.minutes(1))
  let command: string | undefined
  const noted = (entry: { readonly tnx?: string } | undefined, text: unknown) => {
    if (entry?.tnx === "client") command = COMMAND.exec(String(text))?.[0] ?? command
    if (entry?.tnx === "message") command = "the text"
  }
  const ignored = () => {}
  const connection = yield* Effect.acquireRelease(
    Effect.sync(
      () =>
        new SMTPConnection({
          host,
          port,
          name: helloName(options),
          secure: tls,
          requireTLS: startTls === "required",
          ignoreTLS: startTls === "never",
          tls: options.certificateAuthority === undefined ? {} : { ca: options.certificateAuthority },
          // It includes the greeting and the TLS handshake.
          connectionTimeout: timeout * 1.5,
          greetingTimeout: timeout,
          socketTimeout: timeout,
          dnsTimeout: timeout,
          socketCloseTimeout: Math.min(timeout, 2_000),
          transactionLog: true,
          logger: {
            trace: ignored,
            debug: noted,
            info: noted,
            warn: ignored,
            error: ignored,
            fatal: ignored
          }
        })
    ),
    (connection) => Effect.sync(() => connection.close())
  )
  // A late error, after the step that it belongs to.
  connection.on("error", ignored)

  /** Returns the codes of a failure, without the server's words, which often repeat addresses. */
  const failureOf = (cause: unknown): SmtpFailure => {
    const status = statusOf(cause)
    return {
      ...Option.getOrElse(Schema.decodeUnknownOption(SmtpFailure)(cause), () => ({})),
      ...(status === undefined ? {} : { status }),
      waitedFor:
        command === undefined
          ? connection.stage === "connected"
            ? "the greeting"
            : "the connection"
          : `the answer to ${command}`
    }
  }

  /** Runs a step of the session. nodemailer reports some failures to the step, and some to the connection. */
  const step = (run: (done: (cause?: unknown) => void) => void) =>
    Effect.callback<void, SmtpFailure>((resume) => {
      const failed = (cause: unknown) => resume(Effect.fail(failureOf(cause)))
      // A closed connection ends before its step fails with the reason.
      const ended = () => setImmediate(() => failed({ code: "ECONNECTION" }))
      connection.once("error", failed).once("end", ended)
      run((cause) => {
        connection.off("error", failed).off("end", ended)
        if (Predicate.isNullish(cause)) resume(Effect.void)
        else failed(cause)
      })
    })

  yield* step((done) => connection.connect(done))
  if (Option.isSome(login) && connection.allowsAuth) {
    const auth = { user: login.value.user, pass: Redacted.value(login.value.password) }
    yield* step((done) => connection.login(auth, done))
  }
  return { connection, step }
})

/** Checks that the server greets and accepts the login. Sends nothing. */
export const greets = (options: Options) =>
  openSession(options).pipe(
    Effect.asVoid,
    Effect.timeoutOrElse({
      duration: "3 minutes",
      orElse: () => Effect.fail<SmtpFailure>({ timeoutType: "TOTAL", waitedFor: "the end of the answers" })
    }),
    Effect.scoped
  )

/** Connections that mails to many readers share, at most. A connection of its own for each would cost five times as much. */
const SHARED_MAX = 2
/** Time for which a shared connection stays open without a mail: less than any server waits. */
const SHARED_IDLE = "5 seconds"
/** Mails of a shared connection. Many servers refuse more of them, as Postfix and Exchange can be told to. */
const SHARED_MAILS_MAX = 100

const make = Effect.fnUntraced(function* (options: Options) {
  yield* Effect.fromResult(parseSmtpUrl(options.url)).pipe(
    Effect.mapError((problem) => new SmtpUrlInvalid({ problem }))
  )

  const shared = yield* Pool.makeWithTTL({
    acquire: openSession(options),
    min: 0,
    max: SHARED_MAX,
    timeToLive: SHARED_IDLE,
    timeToLiveStrategy: "usage"
  })

  const uses = new WeakMap<SMTPConnection, number>()

  /** Counts a mail over a shared connection. Returns true for the last one. */
  const isLastOf = (connection: SMTPConnection) => {
    const count = (uses.get(connection) ?? 0) + 1
    uses.set(connection, count)
    return count >= SHARED_MAILS_MAX
  }

  return Mailer.of({
    send: Effect.fn("Mailer.send")(
      function* (mail, handOver) {
        const message = new MailComposer(yield* composeMail(options.from, mail, options.bounces)).compile()
        // A text that names a file or a URL is refused.
        const bytes = yield* Effect.tryPromise({
          try: () => message.build(),
          catch: () => new MailRejected({ reason: "message" })
        })
        const isShared = mail.listId !== undefined
        const session = yield* isShared ? Pool.get(shared) : openSession(options)
        const { connection, step } = session
        const run = Effect.runPromiseWith(yield* Effect.context())
        // nodemailer reads the text when the server asks for it.
        const text = Readable.from(
          (async function* () {
            await run(handOver)
            yield bytes
          })()
        )
        yield* step((done) => connection.send(message.getEnvelope(), text, done)).pipe(
          // The server may still be in the middle of the mail that failed or was cut off.
          Effect.onError(() => (isShared ? Pool.invalidate(shared, session) : Effect.void))
        )
        if (isShared && isLastOf(connection)) yield* Pool.invalidate(shared, session)
      },
      Effect.scoped,
      Effect.catchIf(
        (error): error is SmtpFailure => !("_tag" in error),
        (failure) =>
          Effect.andThen(
            Effect.annotateLogs(Effect.logWarning("Could not send a mail"), failure),
            Effect.fail(meaningOf(failure))
          )
      ),
      Effect.catchTag("SmtpUrlInvalid", Effect.die)
    )
  })
})

/** Sends mail through an SMTP server, one connection for each mail. Mails to many readers share two. */
export const layer = (options: Options) => Layer.effect(Mailer, make(options))

/** As `layer`, from `SMTP_URL` and `MAIL_FROM`. */
export const layerConfig = Layer.unwrap(
  Effect.map(Config.all({ url: Config.Redacted("SMTP_URL"), from: mailFrom }), layer)
)
