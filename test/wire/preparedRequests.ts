import { Effect } from "effect"
import { codeIn, readingMail } from "../operations/outbox.ts"
import { type PlainRequest, plainClient } from "../operations/plainClient.ts"
import { signMessage, walletOf } from "../support/actors/owner.ts"

/** Request that is answered with this status, once. */
export interface PreparedRequest {
  readonly id: string
  readonly request: PlainRequest
  readonly status: number
}

/**
 * Prepares one request of every operation of spec 4.1 and of wallet login, each so that it succeeds. No request signs
 * out an owner that another needs. `round` keeps their owners apart.
 */
export const preparedRequests = Effect.fnUntraced(function* (
  origin: string,
  dataDirectory: string,
  round: number
) {
  const { send } = plainClient(origin)
  const mailTo = readingMail(dataDirectory)
  const body = (value: object) => ({ body: value })
  const emailOf = (name: string) => `${name}${round}@example.org`
  const uuidOf = (number: number) =>
    `3f2b8c1e-7d65-4a90-9b1f-2c4d6e8f${round}${String(number).padStart(3, "0")}`

  const challengeOf = Effect.fnUntraced(function* (number: number) {
    const wallet = walletOf(100 * round + number)
    const { account } = wallet
    const { challengeId, message } = yield* send("sessionsChallengeWallet", 201, body({ account }))
    return { account, claim: { challengeId, account, signature: signMessage(wallet, message) } }
  })
  const signedIn = Effect.fnUntraced(function* (number: number) {
    const { account, claim } = yield* challengeOf(number)
    return { account, pair: yield* send("sessionsClaimWallet", 200, body(claim)) }
  })
  const receiptOf = Effect.fnUntraced(function* (email: string, number: number) {
    const headers = { "idempotency-key": uuidOf(number) }
    const { registrationId } = yield* send("registrationsRegister", 202, { headers, body: { email } })
    return { params: { registrationId }, body: { code: codeIn(yield* mailTo(email)) } }
  })
  const changing = Effect.fnUntraced(function* (number: number, email: string) {
    const token = (yield* signedIn(number)).pair.accessToken
    yield* send("accountEmailChange", 200, { token, body: { email } })
    return token
  })

  const { account, pair } = yield* signedIn(1)
  const token = pair.accessToken
  const issued = send("apiKeysIssue", 200, { token, body: {} })
  const [revoked, rotated, used] = [yield* issued, yield* issued, yield* issued]
  const keyOf = (key: { readonly apiKey: { readonly keyId: string } }) => ({
    params: { keyId: key.apiKey.keyId }
  })
  const { claim } = yield* challengeOf(2)
  const leaving = (yield* signedIn(3)).pair
  const refreshing = (yield* signedIn(4)).pair
  const changer = (yield* signedIn(5)).pair.accessToken
  const resender = yield* changing(6, emailOf("resend"))
  const verifier = yield* changing(7, emailOf("verify"))
  const confirmation = { code: codeIn(yield* mailTo(emailOf("verify"))) }
  yield* send("registrationsVerify", 200, yield* receiptOf(emailOf("login"), 1))
  yield* send("registrationsVerify", 200, yield* receiptOf(emailOf("return"), 2))
  yield* send("sessionsLogin", 202, body({ email: emailOf("return") }))
  const login = { email: emailOf("return"), code: codeIn(yield* mailTo(emailOf("return"))) }
  const unverified = yield* receiptOf(emailOf("newcomer"), 3)
  const keyless = yield* receiptOf(emailOf("keyless"), 4)
  const keylessPair = yield* send("registrationsVerify", 200, keyless)

  const prepared: ReadonlyArray<PreparedRequest> = [
    // Requests that need a connection to themselves come first, while unshared connections are left.
    { id: "sessionsLogin", status: 202, request: body({ email: emailOf("login") }) },
    { id: "sessionsVerify", status: 200, request: body(login) },
    {
      id: "registrationsRegister",
      status: 202,
      request: { headers: { "idempotency-key": uuidOf(5) }, body: { email: emailOf("register") } }
    },
    { id: "registrationsVerify", status: 200, request: unverified },
    { id: "sessionsChallengeWallet", status: 201, request: body({ account }) },
    { id: "sessionsClaimWallet", status: 200, request: body(claim) },
    { id: "sessionsRefresh", status: 200, request: body({ refreshToken: refreshing.refreshToken }) },
    { id: "sessionsLogout", status: 200, request: { token: leaving.accessToken } },
    {
      id: "registrationsIssueKey",
      status: 201,
      request: {
        token: keylessPair.accessToken,
        params: keyless.params,
        body: { handle: `keyless_${round}` }
      }
    },
    { id: "apiKeysList", status: 200, request: { token } },
    {
      id: "apiKeysIssue",
      status: 200,
      request: { token, headers: { "idempotency-key": "one" }, body: { label: "laptop" } }
    },
    { id: "apiKeysRevoke", status: 200, request: { token, ...keyOf(revoked) } },
    { id: "apiKeysRotate", status: 200, request: { token, ...keyOf(rotated), body: {} } },
    { id: "meRead", status: 200, request: { token } },
    { id: "meRead", status: 200, request: { token: used.key } },
    { id: "payoutAddressRead", status: 200, request: { token } },
    {
      id: "payoutAddressSave",
      status: 200,
      request: { token, body: { payoutAddress: account, revision: 0 } }
    },
    { id: "accountEmailRead", status: 200, request: { token } },
    {
      id: "accountEmailChange",
      status: 200,
      request: { token: changer, body: { email: emailOf("change") } }
    },
    { id: "accountEmailResend", status: 200, request: { token: resender } },
    { id: "accountEmailVerify", status: 200, request: { token: verifier, body: confirmation } }
  ]
  return { prepared, mailTo, loginEmail: emailOf("login") }
})
