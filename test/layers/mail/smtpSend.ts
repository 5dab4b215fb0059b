import { Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import * as MailerSmtp from "../../../layers/mail/MailerSmtp.ts"
import { Mailer, type Mail } from "../../../src/platform/ports/Mailer.ts"

export const mail: Mail = {
  id: "0193f1a0-0000-7000-8000-000000000001",
  to: { name: "Ada", address: "ada@example.org" },
  subject: "Your code",
  text: "Your code is 123456",
  html: "<p>Your code is <b>123456</b></p>"
}
const from = { name: "Pennypress", address: "press@example.com" }

/** The adapter's time-outs are real. Tests of silence set a short one. */
const mailer = (url: string, options: Partial<MailerSmtp.Options> = {}) =>
  MailerSmtp.layer({ url: Redacted.make(url), from, timeout: "10 seconds", ...options }).pipe(
    Layer.provide(SecureRandom.layerWebCrypto)
  )

/** Sends a mail through the adapter. */
export const send = (
  url: string,
  message: Mail = mail,
  options: Partial<MailerSmtp.Options> = {},
  handOver: Effect.Effect<void> = Effect.void
) => Effect.flatMap(Mailer, (it) => it.send(message, handOver)).pipe(Effect.provide(mailer(url, options)))

/** Returns the failure of a send as `<tag> <reason>`. */
export const failure = (url: string, message: Mail = mail, options: Partial<MailerSmtp.Options> = {}) =>
  Effect.map(Effect.flip(send(url, message, options)), (error) =>
    "reason" in error ? `${error._tag} ${error.reason}` : `${error._tag} ${error.problem}`
  )
