import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"
import { signIn } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { mailsTo } from "../../support/mailbox.ts"
import { service, TestClient, type TestAnswer } from "../../support/TestClient.ts"
import { registered } from "../registrations/flows.ts"

/** Sends each kind of request that causes a mail with a code, from an address. */
const causes = {
  registration: Effect.fnUntraced(function* (email: string, from: string) {
    const key = yield* (yield* SecureRandom.SecureRandom).uuidV4()
    return yield* (yield* TestClient).send("POST", "/api/v1/registrations", {
      from,
      headers: { "idempotency-key": key },
      body: { email }
    })
  }),
  login: Effect.fnUntraced(function* (email: string, from: string) {
    return yield* (yield* TestClient).send("POST", "/api/v1/auth/login", { from, body: { email } })
  }),
  page: Effect.fnUntraced(function* (email: string, from: string) {
    return yield* (yield* TestClient).send("POST", "/sign-in", {
      from,
      headers: {
        accept: "text/html",
        "content-type": "application/x-www-form-urlencoded",
        "sec-fetch-site": "same-origin"
      },
      body: new URLSearchParams({ email, back: "/" }).toString()
    })
  })
}

/** Sends the request of an owner that causes a mail to a new address. */
const change = Effect.fnUntraced(function* (token: string, email: string, from: string) {
  return yield* (yield* TestClient).send("POST", "/api/v1/account/email", { from, token, body: { email } })
})

const assertRefused = (answer: TestAnswer, limit: string, seconds: number) => {
  assert.strictEqual(answer.status, 429, answer.text)
  const told = answer.headers.get("ratelimit")?.split(", ")
  assert.strictEqual(told?.at(-1), `"${limit}";r=0;t=${seconds}`)
  assert.strictEqual(answer.headers.get("retry-after"), String(seconds))
}

/** Registers this many strangers from an address, at most 50 in a minute. */
const registering = Effect.fnUntraced(function* (count: number, from: string, name: string) {
  for (let number = 0; number < count; number++) {
    if (number > 0 && number % 50 === 0) yield* TestClock.adjust("1 minute")
    const { status, text } = yield* causes.registration(`${name}${number}@example.org`, from)
    assert.strictEqual(status, 202, text)
  }
})

const limited = (name: string) => service(database(name), 1, { rateLimitFactor: 1 })

layer(limited("test_mails_of_strangers"))("mails that strangers cause", (it) => {
  it.effect("An address causes at most 60 mails an hour and 200 a day, of all kinds together", () =>
    Effect.gen(function* () {
      const from = "192.0.2.1"
      const { accessToken } = yield* signIn(1)
      yield* registering(57, from, "hour")
      assert.strictEqual((yield* causes.login("login@example.org", from)).status, 202)
      assert.strictEqual((yield* change(accessToken, "change@example.org", from)).status, 200)
      assert.strictEqual((yield* causes.page("page@example.org", from)).status, 303)

      const refused = "refused@example.org"
      assertRefused(yield* causes.registration(refused, from), "code-mails-hour", 3540)
      assertRefused(yield* causes.login(refused, from), "code-mails-hour", 3540)
      assertRefused(yield* change(accessToken, refused, from), "code-mails-hour", 3540)
      const page = yield* causes.page(refused, from)
      assertRefused(page, "code-mails-hour", 3540)
      assert.include(page.text, "Too many requests")
      assert.lengthOf(yield* mailsTo(refused), 0)
      // A refused request costs the mailbox nothing.
      assert.strictEqual((yield* causes.registration(refused, "192.0.2.2")).status, 202)

      for (const [hour, count] of [
        ["second", 60],
        ["third", 60],
        ["fourth", 20]
      ] as const) {
        yield* TestClock.adjust("1 hour")
        yield* registering(count, from, hour)
      }
      const answer = yield* causes.registration("day@example.org", from)
      assert.match(answer.headers.get("ratelimit") ?? "", /, "code-mails-day";r=0;t=\d{5}$/)
      assert.strictEqual((yield* causes.login("day@example.org", "192.0.2.3")).status, 202)
    })
  )
})

layer(limited("test_mails_of_installation"))("the mails of an installation", (it) => {
  it.effect("Strangers with many addresses cause at most 600 mails an hour, and lock no owner out", () =>
    Effect.gen(function* () {
      const { accessToken } = yield* signIn(1)
      const { accessToken: byMail } = yield* registered("deleted@example.org")
      for (let client = 0; client < 12; client++)
        yield* registering(client === 0 ? 49 : 50, `198.51.100.${client}`, `many${client}x`)
      const fresh = "203.0.113.1"
      assertRefused(yield* causes.registration("one@example.org", fresh), "code-mails-all", 3600)
      assertRefused(yield* change(accessToken, "two@example.org", fresh), "code-mails-all", 3600)
      assert.strictEqual((yield* causes.login("one@example.org", fresh)).status, 202)
      yield* TestClock.adjust("1 minute")
      // The mail of a deletion goes to an owner.
      const deletion = yield* (yield* TestClient).send("POST", "/api/v1/account/deletion/challenge", {
        from: fresh,
        token: byMail
      })
      assert.strictEqual(deletion.status, 202, deletion.text)
      // The website has a limit of its own.
      assert.strictEqual((yield* causes.page("two@example.org", fresh)).status, 303)
      assert.lengthOf(yield* mailsTo("two@example.org"), 1)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual((yield* causes.registration("one@example.org", fresh)).status, 202)
    })
  )
})

layer(limited("test_mails_of_pages"))("the mails of the website", (it) => {
  it.effect("Sign-ins on the website use up no mails of the API, and then mail owners alone", () =>
    Effect.gen(function* () {
      const owner = "owner@example.org"
      const fresh = "203.0.113.1"
      const { accessToken } = yield* registered(owner)
      yield* TestClock.adjust("2 minutes")
      for (let client = 0; client < 12; client++)
        for (let number = 0; number < 50; number++)
          yield* causes.page(`page${client}x${number}@example.org`, `198.51.100.${client}`)
      const mails = (yield* mailsTo(owner)).length
      for (const email of ["late@example.org", owner])
        assert.strictEqual((yield* causes.page(email, fresh)).status, 303)
      assert.lengthOf(yield* mailsTo("late@example.org"), 0)
      assert.lengthOf(yield* mailsTo(owner), mails + 1)
      assert.strictEqual((yield* causes.registration("one@example.org", fresh)).status, 202)
      assert.strictEqual((yield* change(accessToken, "two@example.org", fresh)).status, 200)
    })
  )
})
