import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import { NoPendingEmail } from "../../schemas/accounts/account-email/AccountEmail.ts"
import { KeyAlreadyIssued, KeyLimitReached } from "../../schemas/accounts/api-keys/ApiKey.ts"
import { EmailCode } from "../../schemas/accounts/email-codes/EmailCode.ts"
import { Handle } from "../../schemas/accounts/profile/Profile.ts"
import { InvalidChallenge, InvalidCode, SessionExpired } from "../../schemas/accounts/sessions/Session.ts"
import { EmailAddress } from "../../schemas/platform/EmailAddress.ts"
import { IdempotencyConflict, RevisionConflict, Unauthorized } from "../../schemas/platform/errors/common.ts"
import { type NanoAddress, NanoSignature } from "../../schemas/platform/Nano.ts"
import { type ApiClient, makeClient } from "../../src/client/PennypressClient.ts"
import { signMessage, walletOf } from "../support/actors/owner.ts"
import { operationOf, operations } from "../support/contract.ts"
import { wrongCode } from "../support/mailbox.ts"
import { started } from "../wire/server.ts"
import { codeIn, linkIn, readingMail } from "./outbox.ts"

const ACCOUNT_GROUPS = new Set([
  "sessions",
  "registrations",
  "apiKeys",
  "me",
  "payoutAddress",
  "accountEmail"
])

/** The operations of spec 4.1, those of wallet login and the key set. */
const accountOperations = operations
  .map(({ name }) => name)
  .filter((name) => ACCOUNT_GROUPS.has(name.split(".")[0] ?? ""))

/** One who walks through the service as whom they like, and reads the mail that it leaves. */
interface Walker {
  readonly as: (token?: string) => Effect.Effect<ApiClient>
  readonly mailTo: ReturnType<typeof readingMail>
}

/** Wallet login, and the keys that its tokens verify with. */
const walletLogin = Effect.fnUntraced(function* ({ as }: Walker) {
  const anybody = yield* as()
  const wallet = walletOf(1)
  const { account } = wallet
  const { challengeId, message } = yield* anybody.sessions.challengeWallet({ payload: { account } })
  const signature = NanoSignature.make(signMessage(wallet, message))
  const claim = anybody.sessions.claimWallet({ payload: { challengeId, account, signature } })
  const walletPair = yield* claim
  assert.instanceOf(yield* Effect.flip(claim), InvalidChallenge)
  assert.lengthOf((yield* anybody.sessions.keySet()).keys, 1)
  return { account, owner: yield* as(walletPair.accessToken) }
})

/** The payout address and the keys of an owner. */
const keysAndPayout = Effect.fnUntraced(function* ({ as }: Walker, owner: ApiClient, account: NanoAddress) {
  assert.strictEqual((yield* owner.payoutAddress.read()).revision, 0)
  assert.deepStrictEqual(yield* owner.payoutAddress.save({ payload: { payoutAddress: account } }), {
    payoutAddress: account
  })
  const other = walletOf(999).account
  const stale = owner.payoutAddress.save({ payload: { payoutAddress: other, revision: 0 } })
  assert.instanceOf(yield* Effect.flip(stale), RevisionConflict)
  const issue = (label: string) =>
    owner.apiKeys.issue({ headers: { "idempotency-key": "one" }, payload: { label } })
  const issued = yield* issue("laptop")
  const replayed = yield* Effect.flip(issue("laptop"))
  assert.instanceOf(replayed, KeyAlreadyIssued)
  assert.deepStrictEqual(replayed.apiKey, issued.apiKey)
  assert.instanceOf(yield* Effect.flip(issue("telephone")), IdempotencyConflict)
  const params = { keyId: issued.apiKey.keyId }
  const rotated = yield* owner.apiKeys.rotate({ params, payload: { expiresAt: null } })
  assert.isNull(rotated.apiKey.expiresAt)
  const publisher = yield* as(rotated.key)
  assert.strictEqual((yield* publisher.me.read()).credential.keyId, rotated.apiKey.keyId)
  assert.instanceOf(yield* Effect.flip((yield* as(issued.key)).me.read()), Unauthorized)
  for (let i = 0; i < 4; i++) yield* owner.apiKeys.issue({ headers: {}, payload: {} })
  const sixth = owner.apiKeys.issue({ headers: {}, payload: {} })
  assert.instanceOf(yield* Effect.flip(sixth), KeyLimitReached)
  const revoked = yield* owner.apiKeys.revoke({ params: { keyId: rotated.apiKey.keyId } })
  assert.deepInclude((yield* owner.apiKeys.list()).keys, revoked)
})

/** An e-mail address for an owner with a wallet. */
const confirmedAddress = Effect.fnUntraced(function* ({ mailTo }: Walker, owner: ApiClient) {
  const ada = EmailAddress.make("ada@example.org")
  assert.instanceOf(yield* Effect.flip(owner.accountEmail.resend()), NoPendingEmail)
  yield* owner.accountEmail.change({ payload: { email: ada } })
  const wrong = owner.accountEmail.verify({
    payload: { confirmationUrl: "https://press.test/auth/v1/verify" }
  })
  assert.strictEqual((yield* Effect.flip(wrong))._tag, "Validation")
  assert.deepStrictEqual(yield* owner.accountEmail.resend(), { status: "resent", pendingEmail: ada })
  yield* mailTo(ada)
  const confirmation = yield* mailTo(ada)
  const wrongly = { code: EmailCode.make(wrongCode(codeIn(confirmation))) }
  assert.instanceOf(yield* Effect.flip(owner.accountEmail.verify({ payload: wrongly })), InvalidCode)
  const byLink = yield* owner.accountEmail.verify({
    payload: { confirmationUrl: linkIn(confirmation) }
  })
  assert.deepStrictEqual(byLink, { status: "verified", email: ada })
  assert.strictEqual((yield* owner.accountEmail.read()).email, ada)
})

/** A registration, its key, and a login. */
const registrationAndLogin = Effect.fnUntraced(function* ({ as, mailTo }: Walker) {
  const anybody = yield* as()
  const bea = EmailAddress.make("bea@example.org")
  const headers = { "idempotency-key": "3f2b8c1e-7d65-4a90-9b1f-2c4d6e8f0a12" }
  const receipt = yield* anybody.registrations.register({ headers, payload: { email: bea } })
  const registration = { registrationId: receipt.registrationId }
  const code = EmailCode.make(codeIn(yield* mailTo(bea)))
  const verify = anybody.registrations.verify({ params: registration, payload: { code } })
  const first = yield* verify
  assert.instanceOf(yield* Effect.flip(verify), InvalidCode)
  const newcomer = yield* as(first.accessToken)
  const request = { params: registration, payload: { handle: Handle.make("bea_b") } }
  const given = yield* newcomer.registrations.issueKey(request)
  assert.strictEqual(given.profile.handle, "bea_b")
  assert.instanceOf(yield* Effect.flip(newcomer.registrations.issueKey(request)), KeyAlreadyIssued)
  yield* anybody.sessions.login({ payload: { email: bea } })
  const login = { email: bea, code: EmailCode.make(codeIn(yield* mailTo(bea))) }
  const second = yield* anybody.sessions.verify({ payload: login })
  const renewed = yield* anybody.sessions.refresh({ payload: { refreshToken: second.refreshToken } })
  const returned = yield* as(renewed.accessToken)
  assert.isTrue((yield* returned.sessions.logout()).accessTokenValidUntilExpiry)
  const ended = anybody.sessions.refresh({ payload: { refreshToken: renewed.refreshToken } })
  assert.instanceOf(yield* Effect.flip(ended), SessionExpired)
  assert.instanceOf(yield* Effect.flip(returned.sessions.logout()), Unauthorized)
})

describe("every operation of 4.1 with the derived client", () => {
  it.live("One flow plays every operation, and its refusals are the classes of the contract", () =>
    Effect.gen(function* () {
      // Two mails a minute to one mailbox: a registration and a login fit.
      const twice = { RATE_LIMIT_FACTOR: "2" }
      const { dataDirectory, origin } = yield* started("test_operations_client", {}, twice)
      const touched = new Set<string>()
      const noting = HttpClient.tapRequest(({ method, url }) =>
        Effect.sync(() => touched.add(operationOf(method, new URL(url, origin).pathname)?.name ?? url))
      )
      const as = (token?: string) =>
        makeClient({
          baseUrl: origin,
          credential: token === undefined ? undefined : Redacted.make(token),
          transform: noting
        }).pipe(Effect.provide(FetchHttpClient.layer))
      const walker = { as, mailTo: readingMail(dataDirectory) }
      const { account, owner } = yield* walletLogin(walker)
      yield* keysAndPayout(walker, owner, account)
      yield* confirmedAddress(walker, owner)
      yield* registrationAndLogin(walker)
      assert.sameMembers([...touched], accountOperations)
    })
  )
})
