import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { signMessage, walletOf } from "../support/actors/owner.ts"
import { started } from "../wire/server.ts"
import { accountOperations } from "./document.ts"
import { codeIn, linkIn, readingMail } from "./outbox.ts"
import { type PlainRequest, plainClient } from "./plainClient.ts"

/** Two mails a minute to one mailbox, and twice of everything else: a registration and a login fit. */
const twice = { RATE_LIMIT_FACTOR: "2" }

/** One who walks through the service, and reads the mail that it leaves. */
interface Walker {
  readonly send: ReturnType<typeof plainClient>["send"]
  readonly mailTo: ReturnType<typeof readingMail>
}

const ada = "ada@example.org"
const bea = "bea@example.org"
const cleo = "cleo@example.org"

/** A wallet signs in; its tokens verify with the published keys. */
const walletLogin = Effect.fnUntraced(function* ({ send }: Walker) {
  const wallet = walletOf(1)
  const { account } = wallet
  const challenge = yield* send("sessionsChallengeWallet", 201, { body: { account } })
  const { challengeId, message } = challenge
  const claim = { challengeId, account, signature: signMessage(wallet, message) }
  const walletPair = yield* send("sessionsClaimWallet", 200, { body: claim })
  yield* send("sessionsClaimWallet", 401, { body: claim })
  assert.lengthOf((yield* send("sessionsKeySet", 200)).keys, 1)
  return { account, token: walletPair.accessToken as string }
})

/** The payout address of an owner, their keys, and what they are. */
const keysAndPayout = Effect.fnUntraced(function* (
  { send }: Walker,
  { account, token }: { readonly account: string; readonly token: string }
) {
  assert.deepStrictEqual(yield* send("payoutAddressRead", 200, { token }), {
    payoutAddress: null,
    revision: 0,
    updatedAt: null
  })
  const saved = yield* send("payoutAddressSave", 200, { token, body: { payoutAddress: account } })
  assert.deepStrictEqual(saved, { payoutAddress: account })
  const stale = { payoutAddress: walletOf(999).account, revision: 7 }
  yield* send("payoutAddressSave", 409, { token, body: stale })
  assert.strictEqual((yield* send("payoutAddressRead", 200, { token })).revision, 1)
  assert.deepStrictEqual(yield* send("apiKeysList", 200, { token }), { keys: [] })
  const issuance = { token, headers: { "idempotency-key": "one" }, body: { label: "laptop" } }
  const issued = yield* send("apiKeysIssue", 200, issuance)
  const replayed = yield* send("apiKeysIssue", 409, issuance)
  assert.deepStrictEqual(replayed.apiKey, issued.apiKey)
  yield* send("apiKeysIssue", 409, { ...issuance, body: { label: "telephone", expiresAt: null } })
  const { keyId } = issued.apiKey
  const rotated = yield* send("apiKeysRotate", 200, { token, params: { keyId }, body: {} })
  yield* send("apiKeysRotate", 404, { token, params: { keyId }, body: {} })
  assert.strictEqual((yield* send("meRead", 200, { token: rotated.key })).identity.durable, true)
  yield* send("meRead", 401, { token: issued.key })
  yield* send("apiKeysRevoke", 200, { token, params: { keyId: rotated.apiKey.keyId } })
  yield* send("apiKeysRevoke", 404, { token, params: { keyId: "nobody's" } })
})

/** An e-mail address of the wallet's owner, confirmed with the link of the second mail. */
const confirmedAddress = Effect.fnUntraced(function* ({ mailTo, send }: Walker, token: string) {
  assert.strictEqual((yield* send("accountEmailRead", 200, { token })).status, "none")
  yield* send("accountEmailResend", 400, { token })
  const change = { token, body: { email: ada, locale: "en" } }
  assert.strictEqual((yield* send("accountEmailChange", 200, change)).status, "confirmation_sent")
  assert.strictEqual((yield* send("accountEmailChange", 200, change)).status, "already_pending")
  linkIn(yield* mailTo(ada))
  assert.strictEqual((yield* send("accountEmailResend", 200, { token })).status, "resent")
  const confirmation = { token, body: { confirmationUrl: linkIn(yield* mailTo(ada)) } }
  assert.deepStrictEqual(yield* send("accountEmailVerify", 200, confirmation), {
    status: "verified",
    email: ada
  })
  assert.strictEqual((yield* send("meRead", 200, { token })).identity.email, ada)
})

/** Registers a person without a wallet: one receipt, one mail, one key. */
const registration = Effect.fnUntraced(function* ({ mailTo, send }: Walker, stranger: string) {
  const request = {
    headers: { "idempotency-key": "3f2b8c1e-7d65-4a90-9b1f-2c4d6e8f0a12" },
    body: { email: bea }
  }
  const receipt = yield* send("registrationsRegister", 202, request)
  assert.deepStrictEqual(yield* send("registrationsRegister", 202, request), receipt)
  yield* send("registrationsRegister", 409, { ...request, body: { email: ada } })
  const params = { registrationId: receipt.registrationId }
  const verification = { params, body: { code: codeIn(yield* mailTo(bea)) } }
  yield* send("registrationsIssueKey", 404, { token: stranger, params, body: {} })
  const first = yield* send("registrationsVerify", 200, verification)
  yield* send("registrationsVerify", 401, verification)
  yield* send("registrationsIssueKey", 404, { token: stranger, params, body: {} })
  const keyRequest = { token: first.accessToken, params, body: { handle: "bea_b" } }
  const given = yield* send("registrationsIssueKey", 201, keyRequest)
  assert.strictEqual(given.profile.handle, "bea_b")
  yield* send("registrationsIssueKey", 409, keyRequest)
  const me = yield* send("meRead", 200, { token: given.key })
  assert.strictEqual(me.owner.id, given.profile.id)
})

/** She comes back with a code by mail, changes her address, and goes. */
const returning = Effect.fnUntraced(function* ({ mailTo, send }: Walker) {
  yield* send("sessionsLogin", 202, { body: { email: bea } })
  const login = { body: { email: bea, code: codeIn(yield* mailTo(bea)) } }
  const second = yield* send("sessionsVerify", 200, login)
  yield* send("sessionsVerify", 401, login)
  const renewed = yield* send("sessionsRefresh", 200, { body: { refreshToken: second.refreshToken } })
  const hers = renewed.accessToken
  yield* send("accountEmailChange", 200, { token: hers, body: { email: cleo } })
  const code = codeIn(yield* mailTo(cleo))
  const verified = yield* send("accountEmailVerify", 200, { token: hers, body: { code } })
  yield* send("sessionsRefresh", 200, { body: { refreshToken: verified.session.refreshToken } })
  assert.deepStrictEqual(yield* send("sessionsLogout", 200, { token: verified.session.accessToken }), {
    loggedOut: true,
    scope: "local",
    accessTokenValidUntilExpiry: true
  })
  yield* send("apiKeysList", 401, { token: hers })
  yield* send("sessionsRefresh", 401, { body: { refreshToken: verified.session.refreshToken } })
  // Her former mailbox gets a mail.
  assert.notMatch(yield* mailTo(bea), /\d{6}/)
})

describe("every operation of 4.1 with plain fetch, against the OpenAPI document", () => {
  it.live("One flow plays every operation", () =>
    Effect.gen(function* () {
      const { dataDirectory, origin } = yield* started("test_operations_fetch", {}, twice)
      const touched = new Set<string>()
      const { send } = plainClient(origin, touched)
      const walker = { send, mailTo: readingMail(dataDirectory) }
      const owner = yield* walletLogin(walker)
      const { token } = owner
      yield* keysAndPayout(walker, owner)
      yield* confirmedAddress(walker, token)
      yield* registration(walker, token)
      yield* returning(walker)
      assert.isFalse((yield* send("sessionsLogout", 200, { token })).accessTokenValidUntilExpiry)

      const untouched = accountOperations.filter(({ operationId }) => !touched.has(operationId))
      assert.deepStrictEqual(
        untouched.map(({ operationId }) => operationId),
        []
      )
    })
  )

  it.live("Bodies of all wrong kinds, missing credentials and too many mails are refused", () =>
    Effect.gen(function* () {
      const { origin } = yield* started("test_operations_refusals", {}, twice)
      const { send, sendWrong } = plainClient(origin)
      const wallet = walletOf(1)
      const { account } = wallet
      const challenge = yield* send("sessionsChallengeWallet", 201, { body: { account } })
      const signature = signMessage(wallet, challenge.message)
      const claim = { challengeId: challenge.challengeId, account, signature }
      const { accessToken } = yield* send("sessionsClaimWallet", 200, { body: claim })
      const uuid = "3f2b8c1e-7d65-4a90-9b1f-2c4d6e8f0a12"
      const valid = { registrationId: uuid, keyId: "0".repeat(16) }

      const refused: Array<string> = []
      const refuse = Effect.fnUntraced(function* (id: string, status: number, request: PlainRequest) {
        const answer = yield* sendWrong(id, request)
        assert.strictEqual(answer.status, status, `${id} ${JSON.stringify(request)}`)
        refused.push(id)
      })
      for (const { operationId: id, parameters, requestBody, security } of accountOperations) {
        const params = Object.fromEntries(
          parameters
            .filter((it) => it.in === "path")
            .map(({ name }) => [name, valid[name as keyof typeof valid]])
        )
        const headers: Record<string, string> =
          id === "registrationsRegister" ? { "idempotency-key": uuid } : {}
        const isPrivate = security.length > 0
        const token = isPrivate ? accessToken : undefined
        if (isPrivate) {
          yield* refuse(id, 401, { params, headers, body: requestBody && {} })
          yield* refuse(id, 401, { params, headers, body: requestBody && {}, token: "nobody" })
        }
        if (requestBody === undefined) continue
        yield* refuse(id, 400, { params, headers, token, body: "{" })
        yield* refuse(id, 422, { params, headers, token, body: [] })
        yield* refuse(id, 413, { params, headers, token, body: `"${"a".repeat(1024 * 1024)}"` })
        const form = { ...headers, "content-type": "application/x-www-form-urlencoded" }
        yield* refuse(id, 415, { params, headers: form, token, body: "a=b" })
      }
      assert.sameMembers(
        [...new Set(refused)],
        accountOperations.map(({ operationId }) => operationId).filter((id) => id !== "sessionsKeySet")
      )

      const email = "ada@example.org"
      for (let i = 0; i < 2; i++) yield* send("sessionsLogin", 202, { body: { email } })
      yield* send("sessionsLogin", 429, { body: { email } })
      yield* send("registrationsRegister", 429, { headers: { "idempotency-key": uuid }, body: { email } })
      yield* send("accountEmailChange", 429, { token: accessToken, body: { email } })
    })
  )
})
