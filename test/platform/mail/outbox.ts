import { type Context, Effect, Latch, Layer, Queue } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { MailerMemory } from "../../../layers/testing/MailerMemory.ts"
import { ports } from "../../../layers/testing/testing.ts"
import { EmailCode } from "../../../schemas/accounts/email-codes/EmailCode.ts"
import { EmailAddress, mailboxOf } from "../../../schemas/platform/EmailAddress.ts"
import { PublicBaseUrl } from "../../../schemas/platform/errors/PublicBaseUrl.ts"
import { emailChangedLetters, loginLetters } from "../../../src/accounts/email-codes/codeLetters.ts"
import type { Letters } from "../../../src/platform/mail/Letter.ts"
import { MailBodies, withoutMailBodies } from "../../../src/platform/mail/MailBodies.ts"
import { Mails } from "../../../src/platform/mail/Mails.ts"
import { type Mail, Mailer } from "../../../src/platform/ports/Mailer.ts"
import { Transactions } from "../../../src/platform/sql/Transactions.ts"
import { later, now } from "../../../src/platform/time/now.ts"
import { Doorbells } from "../../../src/platform/work/Doorbells.ts"
import { freshDatabase, pool } from "../../support/Database.ts"

export { deliver } from "../../support/delivery.ts"

export const ORIGIN = "https://press.test"
export const TEN_MINUTES = 10 * 60_000

export interface OutboxOptions {
  /** A seed of its own for each assembly over one database. */
  readonly seed?: number
  /** A mailer in place of the one that keeps its mails. */
  readonly mailer?: Mailer["Service"]
  /** The mails that many readers get, in place of none. */
  readonly bodies?: MailBodies["Service"]
}

/** The outbox over the ports and a database, built again each time. */
export const outbox = <E>(
  database: Layer.Layer<SqlClient.SqlClient, E>,
  { bodies, mailer, seed = 1 }: OutboxOptions = {}
) => {
  const mails =
    mailer === undefined ? Mails.layer : Mails.layer.pipe(Layer.provide(Layer.succeed(Mailer, mailer)))
  return Layer.fresh(
    mails.pipe(
      Layer.provide(bodies === undefined ? withoutMailBodies : Layer.succeed(MailBodies, bodies)),
      Layer.provideMerge(Doorbells.layer),
      Layer.provideMerge(Transactions.layer),
      Layer.provideMerge(ports(seed)),
      Layer.provideMerge(database),
      Layer.provideMerge(Layer.succeed(PublicBaseUrl, ORIGIN))
    )
  )
}

/** The outbox twice over one fresh database of this name, as two processes have it. */
export const twoOutboxes = Effect.fnUntraced(function* (
  name: string,
  first: OutboxOptions = {},
  second: OutboxOptions = {}
) {
  const url = yield* freshDatabase(name)
  const start = (options: OutboxOptions) => Layer.build(outbox(pool(url), options))
  return yield* Effect.all([start({ seed: 1, ...first }), start({ seed: 2, ...second })])
}, Effect.orDie)

/** Runs the effect as one of several processes. */
export const as =
  <R>(process: Context.Context<R>) =>
  <A, E, R2>(effect: Effect.Effect<A, E, R2>) =>
    Effect.provideContext(effect, process)

/** A mailer that reports whose texts have left, and finishes no send until it opens. */
export const gatedMailer = Effect.gen(function* () {
  const begun = yield* Queue.unbounded<Mail>()
  const gate = yield* Latch.make()
  const sent: Array<Mail> = []
  const send = Effect.fnUntraced(function* (mail: Mail, handOver: Effect.Effect<void>) {
    yield* handOver
    yield* Queue.offer(begun, mail)
    yield* gate.await
    sent.push(mail)
  })
  return { begun: Queue.take(begun), gate, mailer: Mailer.of({ send }), send, sent }
})

export const ada = EmailAddress.make("ada@example.org")
export const code = EmailCode.make("314159")
export const loginCode = loginLetters(code, "Pennypress")
export const emailChanged = emailChangedLetters("Pennypress")

/** Posts a mail that lives ten minutes, unless told otherwise. */
export const post = Effect.fnUntraced(function* (
  letters: Letters = emailChanged,
  recipient: EmailAddress = ada,
  lifetimeMillis = TEN_MINUTES,
  isBulk = false
) {
  const mails = yield* Mails
  yield* mails.post({ letters, recipient, expiresAt: later(yield* now, lifetimeMillis), isBulk })
})

/** Posts a mail that may wait, for two days. */
export const postBulk = (recipient: EmailAddress = ada) => post(emailChanged, recipient, 2 * 86_400_000, true)

/** Returns the mails that leave while the effect runs. */
export const sentBy = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const memory = yield* MailerMemory
  const before = yield* memory.sent
  yield* effect
  return (yield* memory.sent).slice(before.length)
})

export interface MailRow {
  readonly id: string
  readonly recipient: string
  readonly sealed_content: Uint8Array
  readonly due_at: Date
  readonly attempts: number
}

/** Returns the whole outbox, oldest first. */
export const rows = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<MailRow>`select id, recipient, sealed_content, due_at, attempts from mails order by id`
)

/** Deletes all mails and owners, because the tests of a file share one database. */
export const nothing = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from mails`
  yield* sql`delete from owners`
})

/** Creates an owner of this mailbox. */
export const ownerOf = Effect.fnUntraced(function* (email: string) {
  const sql = yield* SqlClient.SqlClient
  const at = yield* now
  const id = yield* (yield* SecureRandom.SecureRandom).uuidV7()
  yield* sql`insert into owners (id, kind, name, handle, email, mailbox, email_verified_at, created_at)
    values (${id}, 'email', 'Ada', ${`owner_${id}`}, ${email}, ${mailboxOf(EmailAddress.make(email))}, ${at}, ${at})`
})
