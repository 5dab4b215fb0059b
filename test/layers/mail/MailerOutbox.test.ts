import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Layer, Logger } from "effect"
import { SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"
import * as MailerOutbox from "../../../layers/mail/MailerOutbox.ts"
import * as MailerMemory from "../../../layers/testing/MailerMemory.ts"
import { Mailer, MailRejected, MailUnavailable, type Mail } from "../../../src/platform/ports/Mailer.ts"

const mail: Mail = {
  id: "0193f1a0-0000-7000-8000-000000000001",
  to: { name: "Ada\r\nBcc: eve@example.net", address: "ada@example.org" },
  subject: "Code 123456",
  text: "Your code is 123456",
  html: "<p>123456</p>"
}

describe("the outbox", () => {
  it.effect("Each mail is a file that only we can read, and its path is logged without its content", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const directory = yield* fs.makeTempDirectoryScoped()
      const lines: Array<string> = []
      const outbox = MailerOutbox.layer({ directory, from: { address: "press@example.com" } })
      yield* TestClock.setTime(Date.UTC(2026, 10, 21, 5, 0, 0, 7))
      yield* Effect.gen(function* () {
        const mailer = yield* Mailer
        yield* mailer.send(mail, Effect.void)
        yield* mailer.send(
          {
            ...mail,
            id: "0193f1a0-0000-7000-8000-000000000002",
            to: { address: "bob@example.org" }
          },
          Effect.void
        )
        assert.deepStrictEqual(
          yield* Effect.flip(
            mailer.send({ ...mail, to: { address: "ada@example.org\r\nBcc: x@y" } }, Effect.void)
          ),
          new MailRejected({ reason: "address" })
        )
      }).pipe(
        Effect.provide(outbox),
        Effect.provide(Logger.layer([Logger.map(Logger.formatJson, (line) => void lines.push(line))]))
      )
      const names = yield* fs.readDirectory(`${directory}/outbox`)
      assert.strictEqual(names.length, 2)
      for (const name of names) {
        assert.match(name, /^2026-11-21T05-00-00\.007Z-[0-9a-f-]{36}\.eml$/)
        const path = `${directory}/outbox/${name}`
        assert.strictEqual((yield* fs.stat(path)).mode & 0o777, 0o600)
        assert.strictEqual((yield* fs.stat(`${directory}/outbox`)).mode & 0o777, 0o700)
        const message = yield* fs.readFileString(path)
        assert.match(message, /^To: .*(ada|bob)@example\.org/m)
        assert.notMatch(message, /^bcc:/im)
        assert.include(message, "Your code is 123456")
        assert.include(lines.join("\n"), path)
      }
      assert.strictEqual(lines.length, 2)
      assert.notMatch(lines.join("\n"), /123456|example/)
    }).pipe(Effect.provide([NodeServices.layer, SecureRandom.layerWebCrypto]))
  )

  it.effect("The outbox may be removed while the service runs", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const directory = yield* fs.makeTempDirectoryScoped()
      yield* Effect.gen(function* () {
        const mailer = yield* Mailer
        yield* mailer.send(mail, Effect.void)
        yield* fs.remove(`${directory}/outbox`, { recursive: true })
        yield* mailer.send(mail, Effect.void)
      }).pipe(Effect.provide(MailerOutbox.layer({ directory, from: { address: "press@example.com" } })))
      assert.strictEqual((yield* fs.readDirectory(`${directory}/outbox`)).length, 1)
    }).pipe(Effect.provide([NodeServices.layer, SecureRandom.layerWebCrypto]))
  )

  it.effect("The outbox is unavailable when it cannot write", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const directory = yield* fs.makeTempDirectoryScoped()
      const error = yield* Effect.gen(function* () {
        const mailer = yield* Mailer
        yield* fs.remove(`${directory}/outbox`, { recursive: true })
        yield* fs.writeFileString(`${directory}/outbox`, "in the way")
        return yield* Effect.flip(mailer.send(mail, Effect.void))
      }).pipe(Effect.provide(MailerOutbox.layer({ directory, from: { address: "press@example.com" } })))
      assert.instanceOf(error, MailUnavailable)
    }).pipe(Effect.provide([NodeServices.layer, SecureRandom.layerWebCrypto]))
  )
})

describe("the memory double", () => {
  it.effect("The memory double keeps mail, fails on request, and refuses what every mailer refuses", () =>
    Effect.gen(function* () {
      const mailer = yield* Mailer
      const memory = yield* MailerMemory.MailerMemory
      yield* memory.failNext(new MailUnavailable({ reason: "unknown" }), 2)
      assert.instanceOf(yield* Effect.flip(mailer.send(mail, Effect.void)), MailUnavailable)
      assert.instanceOf(yield* Effect.flip(mailer.send(mail, Effect.void)), MailUnavailable)
      yield* mailer.send(mail, Effect.void)
      assert.deepStrictEqual(yield* memory.take, mail)
      assert.deepStrictEqual(yield* memory.sent, [mail])
      assert.instanceOf(
        yield* Effect.flip(mailer.send({ ...mail, to: { address: "nobody" } }, Effect.void)),
        MailRejected
      )
    }).pipe(Effect.provide(MailerMemory.layer))
  )

  it.effect("The memory double is built new each time", () =>
    Effect.gen(function* () {
      yield* Effect.flatMap(Mailer, (it) => it.send(mail, Effect.void)).pipe(
        Effect.provide(MailerMemory.layer, { local: true })
      )
      const sent = yield* Effect.flatMap(MailerMemory.MailerMemory, (memory) => memory.sent).pipe(
        Effect.provide(Layer.fresh(MailerMemory.layer))
      )
      assert.deepStrictEqual(sent, [])
    })
  )
})
