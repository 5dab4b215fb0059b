import { Context, Effect, Layer, Queue, Ref } from "effect"
import { isEmailAddress } from "../../schemas/platform/EmailAddress.ts"
import { Mailer, MailRejected, type Mail, type MailUnavailable } from "../../src/platform/ports/Mailer.ts"

/** Controls the mailer in a test, and shows what it sent. */
export class MailerMemory extends Context.Service<
  MailerMemory,
  {
    /** Returns every mail, oldest first. */
    readonly sent: Effect.Effect<ReadonlyArray<Mail>>
    /** Takes the oldest mail that has not been taken yet, or waits for one. */
    readonly take: Effect.Effect<Mail>
    /**
     * Makes the next `times` sends fail with this error; one by default. The text of a mail leaves before every failure
     * but that of a connection.
     */
    readonly failNext: (error: MailUnavailable | MailRejected, times?: number) => Effect.Effect<void>
  }
>()("pennypress/layers/testing/MailerMemory") {}

const make = Effect.gen(function* () {
  const sent = yield* Ref.make<ReadonlyArray<Mail>>([])
  const untaken = yield* Queue.unbounded<Mail>()
  const failures = yield* Ref.make<ReadonlyArray<MailUnavailable | MailRejected>>([])

  const mailer = Mailer.of({
    send: Effect.fnUntraced(function* (mail, handOver) {
      if (!isEmailAddress(mail.to.address)) return yield* new MailRejected({ reason: "address" })
      const failure = yield* Ref.modify(failures, ([first, ...others]) => [first, others])
      if (failure?.reason !== "connection") yield* handOver
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

/** A mailer that keeps its mails, new for each build of the layer. */
export const layer = Layer.effectContext(make)
