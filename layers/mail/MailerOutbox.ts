import { DateTime, Effect, Layer, Path } from "effect"
import { Mailer, MailUnavailable, type Mailbox } from "../../src/platform/ports/Mailer.ts"
import { makeDurableFiles } from "../files/durableFiles.ts"
import { composeMail } from "./mailMessage.ts"

export interface Options {
  /** Mails go to `outbox` below this directory, one file of mode 0600 each. Created when absent. */
  readonly directory: string
  readonly from: Mailbox
}

/** Loads nodemailer with the first mail. */
const composer = Effect.promise(() => import("nodemailer/lib/mail-composer"))

const make = Effect.fnUntraced(function* (options: Options) {
  const path = yield* Path.Path
  const outbox = path.resolve(options.directory, "outbox")
  const files = yield* makeDurableFiles(outbox)

  const write = Effect.fnUntraced(function* (name: string, bytes: Uint8Array) {
    const target = path.join(outbox, `${name}.eml`)
    const file = yield* files.create(path.join(outbox, `.${name}.tmp`))
    yield* file.append(bytes)
    yield* file.commit(target)
    return target
  }, Effect.scoped)

  return Mailer.of({
    send: Effect.fn("Mailer.send")(function* (mail, handOver) {
      const message = yield* composeMail(options.from, mail)
      const { default: MailComposer } = yield* composer
      // The composer reads memory alone and cannot fail.
      const bytes = yield* Effect.promise(() => new MailComposer(message).compile().build())
      yield* handOver
      const time = DateTime.formatIso(yield* DateTime.now).replaceAll(":", "-")
      const file = yield* write(`${time}-${mail.id}`, bytes).pipe(
        Effect.mapError(() => new MailUnavailable({ reason: "connection" }))
      )
      yield* Effect.logInfo("Wrote a mail to the outbox").pipe(Effect.annotateLogs({ file }))
    })
  })
})

/**
 * Writes mails to files for development: `<directory>/outbox/<time>-<id>.eml`, with hyphens for the colons of the
 * time. The log names the path of each mail and nothing of its content.
 */
export const layer = (options: Options) => Layer.effect(Mailer, make(options))
