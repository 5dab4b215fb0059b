import { Context, Effect, Layer, Queue, Ref } from "effect"
import { isEmailAddress } from "../../schemas/platform/EmailAddress.ts"
import { Mailer, MailRejected, type Mail, type MailUnavailable } from "../../src/platform/ports/Mailer.ts"

/** The test's own hand on the mail: what was sent, and when sending is to fail. */
export class MailerMemory extends Context.Service<
  MailerMemory,
  {
    /** All that was sent, oldest first. */
    readonly sent: Effect.Effect<ReadonlyArray<Mail>>
    /** Takes the oldest mail not taken yet, and waits for it when there is none. */
    readonly take: Effect.Effect<Mail>
    /** Makes the next `times` sends fail with this; once unless told. */
    readonly failNext: (error: MailUnavailable | MailRejected, times?: number) => Effect.Effect<void>
  }
>()("pennypress/layers/testing/MailerMemory") {}

const make = Effect.gen(function* () {
  const sent = yield* Ref.make<ReadonlyArray<Mail>>([])
  const untaken = yield* Queue.unbounded<Mail>()
  const failures = yield* Ref.make<ReadonlyArray<MailUnavailable | MailRejected>>([])

  const mailer = Mailer.of({
    send: Effect.fnUntraced(function* (mail) {
      if (!isEmailAddress(mail.to.address)) return yield* new MailRejected({ reason: "address" })
      const failure = yield* Ref.modify(failures, ([first, ...others]) => [first, others])
      if (failure !== undefined) return yield* failure
      yield* Ref.update(sent, (mails) => [...mails, mail])
      yield* Queue.offer(untaken, mail)
    })
  })

  const control = MailerMemory.of({
    sent: Ref.get(sent),
    take: Queue.take(untaken),
    failNext: (error, times = 1) =>
      Ref.update(failures, (others) => [...others, ...Array.from({ length: times }, () => error)])
  })
  return Context.make(Mailer, mailer).pipe(Context.add(MailerMemory, control))
})

/** A mailer that keeps what it is given, one for each time the layer is built. */
export const layer = Layer.effectContext(make)
