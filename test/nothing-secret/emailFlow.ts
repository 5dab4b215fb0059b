import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { MailerMemory } from "../../layers/testing/MailerMemory.ts"
import { MailRejected, MailUnavailable } from "../../src/platform/ports/Mailer.ts"
import { emailOf } from "../accounts/account-email/flows.ts"
import {
  receiptOf,
  sendKeyRequest,
  sendRegistration,
  sendVerification
} from "../accounts/registrations/flows.ts"
import { refreshed, sendLogin, sendRefresh, sendVerify } from "../accounts/sessions/flows.ts"
import { signIn } from "../support/actors/owner.ts"
import { deliver } from "../support/delivery.ts"
import { codeTo, linkTo, mailsTo, wrongCode } from "../support/mailbox.ts"
import { BASE_URL, TestClient } from "../support/TestClient.ts"
import { dump } from "./search.ts"

const ada = "ada.lovelace@example.org"
const bea = "bea+mail@example.org"
const cleo = "cleo@bücher.example"
const nobody = "nobody@example.net"
const KEY = "3f2b8c1e-7d65-4a90-9b1f-2c4d6e8f0a12"

interface Answer {
  readonly status: number
  readonly text: string
}

interface Pair {
  readonly accessToken: string
  readonly refreshToken: string
}

/** Collects the secrets that a run issued and the ones that it was refused with. */
const collection = () => {
  const secrets: Array<string> = []
  const codes = new Set<string>()
  const refusals: Array<string> = []
  const dumps: Array<string> = []
  return {
    secrets,
    codes,
    refusals,
    dumps,
    /** Notes the tokens of a pair. */
    pair: (pair: Pair) => {
      secrets.push(pair.accessToken, pair.accessToken.split(".")[2] ?? "", pair.refreshToken.slice(4))
      return pair
    },
    /** Notes the code of the newest mail, after searching the tables while that mail waits in the outbox. */
    codeTo: Effect.fnUntraced(function* (address: string) {
      dumps.push(...(yield* dump))
      const code = yield* codeTo(address)
      codes.add(code)
      return code
    }),
    refused: <E, R>(answer: Effect.Effect<Answer, E, R>) =>
      Effect.map(answer, ({ status, text }) => {
        assert.isAbove(status, 399, text)
        refusals.push(text)
      })
  }
}

export type Collection = ReturnType<typeof collection>

/** Registers, takes a key, and tries each way in which a code is refused. */
const registering = Effect.fnUntraced(function* (found: Collection) {
  const client = yield* TestClient
  const { refused } = found
  const { registrationId } = yield* receiptOf(ada, KEY)
  const code = yield* found.codeTo(ada)
  yield* refused(sendRegistration(nobody, KEY))
  yield* refused(sendRegistration(`${ada} ${ada}`))
  yield* refused(sendRegistration([ada]))
  yield* refused(sendVerification(registrationId, wrongCode(code)))
  yield* refused(sendVerification(registrationId, [code]))
  yield* refused(sendVerification(registrationId, `${code}${code}`))
  yield* refused(sendVerification(KEY, code))
  yield* refused(sendVerification(code, code))
  const path = `/api/v1/registrations/${registrationId}/verify`
  yield* refused(client.send("POST", path, { body: `{"code":"${code}"` }))
  yield* refused(client.send("DELETE", path, { body: { code } }))
  const pair = found.pair((yield* sendVerification(registrationId, code)).body)
  yield* refused(sendVerification(registrationId, code))
  const issued = (yield* sendKeyRequest(registrationId, pair.accessToken, { handle: "ada_l" })).body
  found.secrets.push(issued.key.split("_")[2])
  yield* refused(sendKeyRequest(registrationId, pair.accessToken))
  yield* refused(sendKeyRequest(registrationId, pair.accessToken, { handle: issued.key }))
  yield* refused(sendKeyRequest(registrationId, issued.key))
  // This mail says to sign in instead. It leaves before the next one to the same address.
  yield* receiptOf(ada)
  yield* mailsTo(ada)
})

/** Logs in and refreshes, for a known and an unknown address. */
const loggingIn = Effect.fnUntraced(function* (found: Collection) {
  const client = yield* TestClient
  const { refused } = found
  yield* sendLogin(nobody)
  yield* sendLogin(ada)
  const code = yield* found.codeTo(ada)
  yield* refused(sendVerify(ada, wrongCode(code)))
  yield* refused(sendVerify(nobody, code))
  yield* refused(sendVerify(code, ada))
  yield* refused(sendVerify([ada], [code]))
  yield* refused(sendLogin(`${ada}\r\nBcc: ${nobody}`))
  yield* refused(client.send("POST", "/api/v1/auth/login", { body: ada }))
  yield* refused(client.send("POST", "/api/v1/auth/verify", { body: { email: ada, code, more: code } }))
  yield* refused(client.send("GET", `/api/v1/auth/verify?email=${ada}&code=${code}`))
  const first = found.pair((yield* sendVerify(ada, code)).body)
  yield* refused(sendVerify(ada, code))
  const second = found.pair(yield* refreshed(first.refreshToken))
  found.pair(yield* refreshed(first.refreshToken))
  yield* refused(sendRefresh([second.refreshToken]))
  return second
})

/** Changes an address by a link, opens its page, and tries each way in which either is refused. */
const changingAddress = Effect.fnUntraced(function* (found: Collection, { accessToken }: Pair) {
  const client = yield* TestClient
  const { refused } = found
  const account = yield* emailOf(accessToken)
  yield* account.change({ email: bea })
  const code = yield* found.codeTo(bea)
  yield* account.resend
  yield* found.codeTo(bea)
  const link = yield* linkTo(bea)
  const token = new URL(link).searchParams.get("token") ?? ""
  found.secrets.push(token, token.slice(20))
  yield* refused(account.verify({ code }))
  yield* refused(account.verify({ code: [code] }))
  yield* refused(account.verify({ code, confirmationUrl: link }))
  yield* refused(account.verify({ confirmationUrl: link.replace("https:", "http:") }))
  yield* refused(account.verify({ confirmationUrl: token.repeat(20) }))
  yield* refused(account.change({ email: `${bea} ${ada}` }))
  yield* refused(account.change({ mail: bea }))
  const page = link.slice(BASE_URL.length)
  yield* refused(client.send("GET", page.replace(/token=../, "token=")))
  yield* refused(client.send("GET", page.replace("/auth/v1/verify?", `/auth/v1/verify/${token}?`)))
  yield* refused(client.send("POST", page))
  assert.strictEqual((yield* client.send("GET", page)).status, 200)
  const { session } = (yield* account.verify({ confirmationUrl: link })).body
  return found.pair(session)
})

/** Two owners confirm one address. */
const competing = Effect.fnUntraced(function* (found: Collection) {
  const owners = [yield* signIn(1001), yield* signIn(1002)]
  const confirmations = []
  for (const owner of owners) {
    found.pair(owner)
    const account = yield* emailOf(owner.accessToken)
    yield* account.change({ email: cleo })
    confirmations.push(account.verify({ code: yield* found.codeTo(cleo) }))
  }
  const [first, second] = confirmations
  assert.strictEqual((yield* first!).status, 200)
  yield* found.refused(second!)
})

/** Makes mails wait, fail, expire, and be unreadable. */
const failingDeliveries = Effect.fnUntraced(function* (found: Collection) {
  const sql = yield* SqlClient.SqlClient
  const { failNext } = yield* MailerMemory
  yield* failNext(new MailUnavailable({ reason: "deferred" }))
  yield* sendLogin(bea)
  yield* deliver
  yield* TestClock.adjust("10 seconds")
  yield* found.codeTo(bea)
  yield* failNext(new MailRejected({ reason: "recipient" }))
  yield* sendLogin(bea)
  yield* deliver
  yield* sendLogin(bea)
  yield* sql`update mails set sealed_content = ${new Uint8Array(64)}`
  yield* deliver
  yield* TestClock.adjust("11 minutes")
  yield* deliver
})

/** Runs every operation that mail opens, and returns all that was issued, mailed and refused. */
export const emailFlow = Effect.gen(function* () {
  const found = collection()
  yield* registering(found)
  const pair = yield* loggingIn(found)
  const last = yield* changingAddress(found, pair)
  yield* competing(found)
  yield* failingDeliveries(found)
  return { ...found, last: found.pair(yield* refreshed(last.refreshToken)) }
})

/** Every address that the flow writes to. */
export const ADDRESSES = [ada, bea, cleo, "bücher.example", "xn--bcher-kva", nobody]
