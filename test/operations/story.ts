import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { multipart } from "../publishing/uploads/multipart.ts"
import { completePost, signMessage, walletOf } from "../support/actors/owner.ts"
import { pngFile } from "../support/actors/uploader.ts"
import { codeTo } from "../support/mailbox.ts"
import { TestClient, type TestAnswer } from "../support/TestClient.ts"
import { operations } from "./document.ts"

/** A request of the story, as the document shows it. */
export interface StoryRequest {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

export interface Played {
  readonly operationId: string
  readonly request: StoryRequest
  readonly answer: TestAnswer
}

const ada = "ada@example.org"
const bea = "bea@example.org"
const registrationKey = "3f2b8c1e-7d65-4a90-9b1f-2c4d6e8f0a12"

/** Plays every operation of the contract once, in an order in which each succeeds. */
export const playStory = Effect.gen(function* () {
  const client = yield* TestClient
  const played: Array<Played> = []

  const play = Effect.fnUntraced(function* (operationId: string, request: StoryRequest = {}, token?: string) {
    const operation = operations.find((it) => it.operationId === operationId)
    if (operation === undefined) return yield* Effect.die(new Error(`${operationId} is not documented`))
    const { body, headers = {}, params = {}, query = {} } = request
    const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? "")
    const search = new URLSearchParams(
      Object.entries(query).map(([name, it]): [string, string] => [name, String(it)])
    )
    const form =
      operation.requestBody?.content["multipart/form-data"] === undefined ? undefined : multipart([pngFile()])
    const answer = yield* client.send(
      operation.method.toUpperCase(),
      `${path}${search.size > 0 ? `?${search}` : ""}`,
      {
        ...(token === undefined ? {} : { token }),
        headers: { ...headers, ...form?.headers },
        ...(form === undefined ? (body === undefined ? {} : { body }) : { body: form.body })
      }
    )
    if (answer.status >= 300)
      return yield* Effect.die(new Error(`${operationId}: ${answer.status} ${answer.text}`))
    played.push({ operationId, request, answer })
    return answer.body
  })

  // Ada has a wallet.
  const wallet = walletOf(1)
  const { account } = wallet
  const challenge = yield* play("sessionsChallengeWallet", { body: { account } })
  const claim = {
    challengeId: challenge.challengeId,
    account,
    signature: signMessage(wallet, challenge.message)
  }
  const { accessToken: owner } = yield* play("sessionsClaimWallet", { body: claim })
  yield* play("sessionsKeySet")
  yield* play("payoutAddressSave", { body: { payoutAddress: account } }, owner)
  yield* play("payoutAddressRead", {}, owner)
  yield* play("accountEmailChange", { body: { email: ada } }, owner)
  yield* TestClock.adjust("2 minutes")
  yield* play("accountEmailResend", {}, owner)
  yield* play("accountEmailVerify", { body: { code: yield* codeTo(ada) } }, owner)
  yield* play("accountEmailRead", {}, owner)
  const issued = yield* play(
    "apiKeysIssue",
    { headers: { "Idempotency-Key": "laptop-1" }, body: { label: "laptop" } },
    owner
  )
  const { key } = yield* play(
    "apiKeysRotate",
    { params: { keyId: issued.apiKey.keyId }, body: { label: "laptop" } },
    owner
  )
  yield* play("apiKeysRevoke", { params: { keyId: issued.apiKey.keyId } }, owner)
  yield* play("apiKeysList", {}, owner)

  // Her key publishes.
  yield* play(
    "profileUpdate",
    { body: { name: "Ada Byron", handle: "ada_b", bio: "Writes about engines." } },
    key
  )
  yield* play("profileRead", {}, key)
  yield* play("meRead", {}, key)
  const { id: postId } = yield* play(
    "postsCreate",
    { headers: { "Idempotency-Key": "draft-1" }, body: completePost },
    key
  )
  const inline = { "Idempotency-Key": "image-1", "X-Upload-Target-Key": "node-1" }
  const post = yield* play("postsRead", { params: { postId } }, key)
  const image = yield* play(
    "uploadsImage",
    { params: { postId }, headers: { ...inline, "X-Post-Revision": post.updatedAt } },
    key
  )
  const params = { operationId: image.safety.operationId }
  yield* play("uploadsList", { query: { postId } }, key)
  yield* play("uploadsStatus", { params }, key)
  yield* play("uploadsAssociate", { params }, key)
  yield* play("uploadsCancel", { params }, key)
  yield* play("uploadsAvatar", { headers: { "Idempotency-Key": "avatar-1" } }, key)
  yield* play("uploadsHeader", { headers: { "Idempotency-Key": "header-1" } }, key)
  yield* play("uploadsRemoveHeader", {}, key)
  const { updatedAt } = yield* play("postsRead", { params: { postId } }, key)
  const revision = { "X-Post-Revision": updatedAt }
  yield* play("postsUpdate", { params: { postId }, headers: revision, body: { slug: "on-pennies" } }, key)
  yield* play("postsPublish", { params: { postId }, headers: { "Idempotency-Key": "publish-1" } }, key)
  yield* play("postsList", { query: { status: "published", page: 1, per_page: 20 } }, key)

  // Readers find the Post.
  yield* play("discoveryPosts", { query: { q: "pennies", page: 1, per_page: 20 } })
  yield* play("discoveryPost", { params: { postId } })
  yield* play("discoveryPublicContent", { params: { postId } })
  yield* play("discoveryCategories")
  yield* play("discoveryCategoryCounts")
  yield* play("discoveryHandleAvailability", { query: { handle: "ada_lovelace" } })
  yield* play("discoveryProfile", { params: { handle: "ada_b" } })
  yield* play("discoveryProfileSummary", { params: { handle: "ada_b" } })
  yield* play("discoveryProfilePosts", { params: { handle: "ada_b" }, query: { page: 1, per_page: 20 } })
  yield* play("postsUnpublish", { params: { postId }, headers: { "Idempotency-Key": "unpublish-1" } }, key)
  yield* play("postsRemove", { params: { postId } }, key)
  yield* play("profileDeclareAgent", {}, key)

  // Bea registers by e-mail, and comes back.
  const receipt = yield* play("registrationsRegister", {
    headers: { "Idempotency-Key": registrationKey },
    body: { email: bea }
  })
  const registration = { registrationId: receipt.registrationId }
  const pair = yield* play("registrationsVerify", {
    params: registration,
    body: { code: yield* codeTo(bea) }
  })
  yield* play("registrationsIssueKey", { params: registration, body: { handle: "bea_b" } }, pair.accessToken)
  yield* TestClock.adjust("2 minutes")
  yield* play("sessionsLogin", { body: { email: bea } })
  const login = yield* play("sessionsVerify", { body: { email: bea, code: yield* codeTo(bea) } })
  const renewed = yield* play("sessionsRefresh", { body: { refreshToken: login.refreshToken } })

  // Bea links a wallet of hers.
  const other = walletOf(2)
  const link = yield* play(
    "accountWalletChallenge",
    { body: { account: other.account } },
    renewed.accessToken
  )
  yield* play(
    "accountWalletLink",
    {
      body: {
        challengeId: link.challengeId,
        account: other.account,
        signature: signMessage(other, link.message)
      }
    },
    renewed.accessToken
  )
  yield* play("sessionsLogout", {}, renewed.accessToken)
  return played
})
