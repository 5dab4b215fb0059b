import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { NanoAddress } from "../../schemas/platform/Nano.ts"
import { Dispatcher } from "../../src/engagement/events/Dispatcher.ts"
import { Reads } from "../../src/engagement/reads/Reads.ts"
import { refreshDue } from "../engagement/leaderboards/refresh.ts"
import { takeTurns } from "../engagement/webhooks/receiver.ts"
import { paid as sellTo } from "../payments/finance/selling.ts"
import { ownerIdOf } from "../payments/settlement/paying.ts"
import { workImports } from "../publishing/imports/importer.ts"
import { multipart } from "../publishing/uploads/multipart.ts"
import { base64Json, buyerOf, fromBase64, inTime, payloadOf } from "../support/actors/buyer.ts"
import { completePost, publisher, signIn, signMessage, walletOf } from "../support/actors/owner.ts"
import { payerOf } from "../support/actors/payer.ts"
import { pngFile, workOff, zipFile } from "../support/actors/uploader.ts"
import { codeTo } from "../support/mailbox.ts"
import { TestClient, type TestAnswer } from "../support/TestClient.ts"
import { operations } from "./document.ts"

/** A request of the story, as the document shows it. */
export interface StoryRequest {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | boolean>>
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

/** A post as a program for plain texts keeps it. */
const importedFile = new TextEncoder().encode(
  "---\ntitle: On old pennies\ndate: 2019-03-04\n---\n\nA penny saved, and told again.\n"
)
const fileHeaders = {
  "content-type": "application/octet-stream",
  "content-length": String(importedFile.length)
}

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
      operation.requestBody?.content["multipart/form-data"] === undefined
        ? undefined
        : multipart([operationId === "attachmentsAttach" ? zipFile() : pngFile()])
    const isFile = operation.requestBody?.content["application/octet-stream"] !== undefined
    const file = isFile ? { body: importedFile, headers: fileHeaders } : undefined
    const answer = yield* client.send(
      operation.method.toUpperCase(),
      `${path}${search.size > 0 ? `?${search}` : ""}`,
      {
        ...(token === undefined ? {} : { token }),
        headers: { ...headers, ...form?.headers, ...file?.headers },
        ...(form === undefined
          ? file === undefined
            ? body === undefined
              ? {}
              : { body }
            : { body: file.body }
          : { body: form.body })
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
  const begun = yield* play(
    "importsBegin",
    {
      headers: { "Idempotency-Key": "import-1" },
      body: { fileName: "on-old-pennies.md", byteSize: importedFile.length }
    },
    key
  )
  const ofImport = { importId: begun.id }
  yield* play("importsSendFile", { params: ofImport }, key)
  yield* workImports
  yield* play("importsRead", { params: ofImport }, key)
  yield* play("importsList", { query: { limit: 20 } }, key)
  const { data: items } = yield* play("importsItems", { params: ofImport, query: { limit: 50 } }, key)
  const [{ id: itemId }] = items
  yield* play("importsItem", { params: { ...ofImport, itemId } }, key)
  yield* play("importsReport", { params: ofImport }, key)
  yield* play(
    "importsApply",
    {
      params: ofImport,
      headers: { "Idempotency-Key": "apply-1" },
      body: { items: "all", primaryCategoryId: 7 }
    },
    key
  )
  yield* workImports
  yield* play("importsRedirects", { params: ofImport, query: { format: "json" } }, key)
  yield* play(
    "importsPublish",
    {
      params: ofImport,
      headers: { "Idempotency-Key": "publish-import-1" },
      body: { items: [itemId], creationMethod: "human_written", creationAttested: true }
    },
    key
  )
  yield* play("importsCancel", { params: ofImport }, key)
  yield* play("importsUndo", { params: ofImport }, key)
  yield* play("importsRemove", { params: ofImport }, key)
  yield* play("discoveryPosts", { query: { q: "pennies", page: 1, per_page: 20 } })
  yield* play("discoveryPost", { params: { postId } })
  const another = yield* client.send("POST", "/api/v1/posts", {
    token: key,
    body: {
      ...completePost,
      title: "On shillings",
      paidContentMarkdown: "Twelve of them.",
      enablePaywall: true,
      priceXno: "0.05"
    }
  })
  yield* client.send("POST", `/api/v1/posts/${another.body.id}/publish`, {
    token: key,
    headers: { "idempotency-key": "publish-2" }
  })
  yield* play("discoveryRelated", { params: { postId }, query: { limit: 4 } })
  yield* play("discoveryPublicContent", { params: { postId } })
  yield* play("discoveryCategories")
  yield* play("documentsPayments")
  yield* play("documentsCatalogue", { query: { limit: 20 } })
  yield* play("documentsRailHint")
  yield* play("toolServerRelease")
  yield* play("discoveryCategoryCounts")
  yield* play("discoveryHandleAvailability", { query: { handle: "ada_lovelace" } })
  const { id: adaId } = yield* play("discoveryProfile", { params: { handle: "ada_b" } })
  yield* play("discoveryProfileSummary", { params: { handle: "ada_b" } })
  yield* play("discoveryProfilePosts", { params: { handle: "ada_b" }, query: { page: 1, per_page: 20 } })

  // Ada's key learns how often it is read.
  const reads = yield* Reads
  yield* reads.renewKeys
  yield* client.send("GET", "/@ada_b/on-pennies", {
    from: "192.0.2.1",
    headers: { "user-agent": "Mozilla/5.0 (X11; Linux x86_64)", referer: "https://news.example/" }
  })
  yield* reads.flush
  const period = { from: "2026-11-01", to: "2026-11-30" }
  yield* play("readStatsPosts", { query: { ...period, sort: "reads" } }, key)
  yield* play("readStatsDays", { params: { postId }, query: period }, key)

  // A program of Ada listens from here on.
  yield* client.send("GET", "/api/v1/events", { token: owner })

  // Cleo reacts to it.
  const cleo = yield* signIn(3)
  const cleoId = yield* ownerIdOf(cleo.accessToken)
  yield* play("reactionsToPost", { params: { postId }, body: { reaction: "heart" } }, cleo.accessToken)
  const hearts = { params: { postId }, query: { reaction: "heart", limit: 40, offset: 0 } }
  yield* play("reactionsOfPost", hearts, cleo.accessToken)
  yield* play("publicReactionsOfPost", hearts)

  // Ada answers questions before they are asked.
  const { id: commentId } = yield* play(
    "commentsAppend",
    {
      params: { postId },
      headers: { "Idempotency-Key": "comment-1" },
      body: { content: "Ask me anything about pennies." }
    },
    owner
  )
  yield* play("commentsList", { params: { postId }, query: { limit: 50 } }, owner)
  yield* play("commentsRead", { params: { commentId } }, owner)
  yield* play("publicCommentsList", { params: { postId }, query: { limit: 50 } })
  yield* play("activityProfile", { params: { handle: "ada_b" }, query: { limit: 20 } })
  const fires = { params: { postId, commentId }, query: { reaction: "fire", limit: 40, offset: 0 } }
  const ofComment = { ...fires, params: { commentId } }
  yield* (yield* Dispatcher).dispatch
  yield* play("eventsList", { query: { types: "comment.created", limit: 20 } }, owner)
  yield* play("reactionsToComment", { params: { commentId }, body: { reaction: "fire" } }, cleo.accessToken)
  yield* play("reactionsOfComment", ofComment, cleo.accessToken)
  yield* play("publicReactionsOfComment", ofComment)
  yield* play("publicReactionsOfPostComment", fires)
  yield* play("tipsActivities", { params: { postId } })
  yield* play("tipsSupporters", { params: { postId, commentId } })

  // Dan has a wallet and no account. He buys what Ada sells.
  const paid = yield* client.send("POST", "/api/v1/posts", {
    token: key,
    body: {
      ...completePost,
      title: "On guineas",
      enablePaywall: true,
      priceXno: "0.5",
      paidContentMarkdown: "A guinea is **21** shillings."
    }
  })
  const guineas = { postId: paid.body.id as string }
  const zip = yield* play(
    "attachmentsAttach",
    {
      params: guineas,
      headers: { "Idempotency-Key": "zip-1", "X-Post-Revision": paid.body.updatedAt }
    },
    key
  )
  yield* play("attachmentsList", { params: guineas }, key)
  yield* workOff
  yield* client.send("POST", `/api/v1/posts/${guineas.postId}/publish`, {
    token: key,
    headers: { "idempotency-key": "publish-guineas" }
  })
  const dan = yield* buyerOf(4)
  const { payment } = yield* dan.sign(guineas.postId)
  const bought = yield* Clock.currentTimeMillis
  const dansAnswer = yield* inTime(
    play("accessRead", { params: guineas, headers: { "Payment-Signature": payment } })
  )
  const { purchaseId } = dansAnswer.access
  const { token: receiptToken } = dansAnswer.receipt
  yield* play("purchaseByReceiptRead", {
    params: { purchaseId },
    headers: { "X-Purchase-Receipt": receiptToken }
  })
  const file = { ...guineas, attachmentId: zip.safety.operationId as string }
  yield* play("postFilesList", { params: guineas })
  yield* play("accessDownload", { params: file, headers: { "X-Purchase-Receipt": receiptToken } })
  // He makes an account, and takes his purchase along.
  const { accessToken: dansToken } = yield* signIn(5)
  yield* play("purchasesClaim", { body: { receiptToken } }, dansToken)
  yield* play("purchasesList", { query: { limit: 50 } }, dansToken)
  yield* play("purchasesRead", { params: { purchaseId } }, dansToken)
  // However long the confirmation took, the story goes on a minute later.
  yield* TestClock.setTime(bought + 60_000)
  yield* play("attachmentsRemove", { params: file }, key)

  // Cleo is not amused.
  const report = { headers: { "Idempotency-Key": "report-1" }, body: { reason: "Asks for pennies." } }
  yield* play("reportsPost", { params: { postId }, ...report }, cleo.accessToken)
  const reportOfComment = { ...report, headers: { "Idempotency-Key": "report-2" } }
  yield* play("reportsComment", { params: { commentId }, ...reportOfComment }, cleo.accessToken)
  yield* play("commentsRemove", { params: { commentId } }, owner)

  yield* play("notificationsSaveMute", { params: { postId }, body: { muted: true } }, owner)
  yield* play("notificationsMute", { params: { postId } }, owner)
  yield* play("postsUnpublish", { params: { postId }, headers: { "Idempotency-Key": "unpublish-1" } }, key)
  const publishAt = new Date((yield* Clock.currentTimeMillis) + 3_600_000).toISOString()
  yield* play("schedulesSave", { params: { postId }, body: { publishAt } }, key)
  yield* play("schedulesRemove", { params: { postId } }, key)
  yield* play("postsRemove", { params: { postId } }, key)
  yield* play("profileDeclareAgent", {}, key)
  yield* play("activityAgents", { query: { limit: 20 } })

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

  // She follows Ada, and wants her news by mail.
  const creator = { creatorId: adaId }
  const { follow } = yield* play(
    "followsSave",
    { params: creator, body: { following: true } },
    renewed.accessToken
  )
  const followId = { followId: follow.id }
  yield* play("followsRead", { params: creator }, renewed.accessToken)
  yield* play(
    "followsSavePreferences",
    { params: followId, body: { notify_channel_email: true } },
    renewed.accessToken
  )
  yield* play("followsReadPreferences", { params: followId }, renewed.accessToken)
  yield* play("followsList", { query: { limit: 20 } }, renewed.accessToken)
  yield* play("followsPosts", { query: { limit: 20 } }, renewed.accessToken)
  yield* play("followsIssueFeed", {}, renewed.accessToken)
  yield* play("followsFeed", {}, renewed.accessToken)
  yield* play("followsRevokeFeed", {}, renewed.accessToken)
  const { data } = yield* play("followListsFollowers", {
    params: { userId: adaId },
    query: { page: 1, per_page: 10 }
  })
  yield* play("followListsFollowing", {
    params: { userId: data[0].id },
    query: { page: 1, per_page: 10 }
  })
  yield* refreshDue
  yield* play(
    "leaderboardsRead",
    { query: { board: "creator_followers", period: "week" } },
    renewed.accessToken
  )
  yield* play("followListsCounts", { params: { profileId: adaId } })

  // Ada hears of it.
  const feed = yield* play("notificationsFeed", { query: { limit: 20, offset: 0, includeAll: true } }, owner)
  const ids = [feed.notifications[0].id]
  yield* play("notificationsMarkRead", { body: { ids } }, owner)
  yield* play("notificationsMarkContextRead", { body: { context: { types: ["new_follow"] } } }, owner)
  yield* play("notificationsMarkAllRead", {}, owner)
  yield* play("notificationsSavePreferences", { body: { notify_summaries: false } }, owner)
  yield* play("notificationsPreferences", {}, owner)
  yield* play("sessionsLogout", {}, renewed.accessToken)

  // Cleo buys the other Post. Ada looks at her books, and gives a part of it back.
  const payer = yield* payerOf(3)
  yield* payer.fund()
  const shillings = { kind: "purchase", postId: another.body.id } as const
  const sale = yield* sellTo(payer, {
    target: shillings,
    payTo: account,
    amountRaw: 5n * 10n ** 28n,
    buyerId: cleoId
  })
  const own = yield* payerOf(1)
  yield* own.fund()
  const refund = yield* own.pay(payer.account, 10n ** 28n)
  yield* play("financeSummary", { query: { from: "2026-11-01", to: "2026-12-01" } }, owner)
  yield* play("financeEarningsByDay", { query: { from: "2026-11-01", to: "2026-12-01" } }, owner)
  yield* play("financeEarningsByPost", { query: { from: "2026-11-01", to: "2026-12-01" } }, owner)
  yield* play("financeSales", { query: { limit: 50 } }, owner)
  yield* play("financeTips", { query: { limit: 50 } }, owner)
  const ofSale = { params: { saleId: sale.id } }
  yield* play("financeSale", ofSale, owner)
  yield* play("financeRefund", { ...ofSale, body: { blockHash: refund.hash } }, owner)
  yield* play("financeExport", { query: { kind: "all" } }, owner)
  yield* play("accountExportDownload", {}, owner)
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into fee_accounts (owner_id, shard, accrued_raw) values (${adaId}, 0, -1)`
  const obligation = yield* play("financeClaimObligation", {}, owner)
  const ofObligation = { params: { obligationId: obligation.id } }
  yield* play("financeBindObligation", { ...ofObligation, body: { revision: 1 } }, owner)
  yield* play("financeObligations", {}, owner)

  // A reader without an account tips from a wallet on a phone.
  const tip = { kind: "tip", postId: another.body.id, amountXno: "0.5" }
  const paymentKey = { "Idempotency-Key": "5f0c7a52-6f3c-4b0e-9d52-3f6a8b0c1d2e" }
  const session = yield* play("paymentSessionsCreate", { headers: paymentKey, body: tip })
  const ofSession = {
    params: { sessionId: session.sessionId },
    headers: { "X-Session-Token": session.token }
  }
  yield* play("paymentSessionsQr", ofSession)
  yield* play("paymentSessionsRead", { ...ofSession, query: { wait: 0 } })
  yield* play("paymentSessionsSaySent", { ...ofSession, body: { payer: account } })
  yield* play("paymentSessionsCancel", ofSession)

  // An agent tips by x402.
  const later = yield* Clock.currentTimeMillis
  const tipped = Effect.fnUntraced(function* (
    operationId: string,
    path: string,
    params: Readonly<Record<string, string>>
  ) {
    const body = { amountXno: "0.5" }
    const required = yield* client.send("POST", path, { body })
    const terms = fromBase64(required.headers.get("payment-required"))
    const [{ amount, payTo }] = terms.accepts
    const block = yield* payer.send(NanoAddress.make(payTo), BigInt(amount))
    const headers = { "Payment-Signature": base64Json(payloadOf(terms, block)) }
    const answer = yield* inTime(play(operationId, { params, headers, body }))
    // The machine decides how long a confirmation takes.
    answer.tip.createdAt = "2026-11-21T05:10:00.000000Z"
    yield* TestClock.setTime(later + 60_000)
  })
  const note = yield* client.send("POST", `/api/v1/posts/${another.body.id}/comments`, {
    token: owner,
    headers: { "idempotency-key": "comment-2" },
    body: { content: "Shillings are next." }
  })
  const noteId: string = note.body.id
  yield* tipped("tippingPost", `/api/posts/${another.body.id}/tips`, { postId: another.body.id })
  yield* tipped("tippingComment", `/api/comments/${noteId}/tips`, { commentId: noteId })
  yield* tipped("tippingProfile", "/api/profile/ada_b/tips", { handle: "ada_b" })

  // Ada gives the guineas to two friends. Cleo redeems hers at once.
  const given = yield* play(
    "giftsIssue",
    {
      headers: { "Idempotency-Key": "gift-1" },
      body: { ...guineas, maxRedemptions: 2, label: "For two friends" }
    },
    owner
  )
  yield* play("giftsRedeem", { body: { token: given.token } }, cleo.accessToken)
  // Eve opens hers without an account, and takes it along later.
  const opened = yield* client.send("GET", `/api/posts/${guineas.postId}/access`, {
    headers: { "x-gift-token": given.token, "idempotency-key": "opening-1" }
  })
  yield* play("giftsList", { query: { postId: guineas.postId, limit: 50 } }, owner)
  const ofGift = { params: { giftId: given.gift.id }, query: { redeemed: "keep" } }
  yield* play("giftsRevoke", ofGift, owner)
  const eve = yield* signIn(6)
  yield* play("giftsClaim", { body: { receiptToken: opened.body.receipt.token } }, eve.accessToken)

  // A server of Ada's gets her events, and lost one of them.
  const hook = yield* play(
    "webhooksCreate",
    {
      headers: { "Idempotency-Key": "webhook-1" },
      body: { url: "https://shop.example/hooks", events: ["*"], description: "Shop" }
    },
    owner
  )
  const ofHook = { params: { webhookId: hook.webhook.id } }
  yield* play("webhooksList", {}, owner)
  yield* play("webhooksChange", { ...ofHook, body: { description: "The shop" } }, owner)
  yield* play("webhooksRotateSecret", { ...ofHook, body: { keepSeconds: 3600 } }, owner)
  const tried = yield* play("webhooksTest", { ...ofHook, body: { type: "purchase.settled" } }, owner)
  yield* takeTurns
  const ofDelivery = { params: { ...ofHook.params, deliveryId: tried.id } }
  yield* play("webhooksRead", ofHook, owner)
  yield* play("webhooksDeliveries", { ...ofHook, query: { limit: 50 } }, owner)
  yield* play("webhooksDelivery", ofDelivery, owner)
  yield* play("webhooksRedeliverOne", ofDelivery, owner)
  yield* play("webhooksRedeliver", { ...ofHook, body: { since: "2026-11-21T00:00:00Z" } }, owner)
  yield* play("webhooksRemove", ofHook, owner)

  // Fay asks Ada something.
  const fay = yield* publisher(7)
  yield* client.send("POST", `/api/v1/posts/${another.body.id}/comments`, {
    token: fay.accessToken,
    headers: { "idempotency-key": "comment-3" },
    body: { content: "And crowns?" }
  })
  yield* play("commentsReceived", { query: { limit: 50 } }, owner)

  // A reader asks for Ada's posts by mail.
  yield* play("subscriptionsSubscribe", {
    params: { handle: "ada_b" },
    body: { email: "reader@example.org" }
  })
  const readers = yield* play("subscribersList", { query: { state: "pending", limit: 50 } }, owner)
  yield* play("subscribersExport", {}, owner)
  yield* play(
    "subscriberImportsAdd",
    {
      body: {
        csv: "Email Address,UNSUB_TIME\nada@example.org,\nleft@example.org,2026-10-02 09:00:00\n",
        source: "Mailchimp",
        consent: {
          statement: "They signed up on my old site, ada.example, and confirmed by email.",
          attested: true
        }
      }
    },
    owner
  )
  yield* play("subscribersRemove", { params: { subscriberId: readers.data[0].id } }, owner)
  const mailed = { params: { postId: another.body.id } }
  yield* play("mailingsRead", mailed, key)
  yield* play("mailingsAct", { ...mailed, body: { action: "cancel" } }, key)

  // Fay deletes her account, and keeps it after all.
  const leaving = yield* play("accountDeletionChallenge", {}, fay.accessToken)
  yield* play(
    "accountDeletionRequest",
    {
      body: {
        handle: fay.handle,
        challengeId: leaving.challengeId,
        signature: signMessage(walletOf(7), leaving.message)
      }
    },
    fay.accessToken
  )
  const { accessToken: returned } = yield* signIn(7)
  yield* play("accountDeletionRead", {}, returned)
  yield* play("accountDeletionKeep", {}, returned)
  return played
})
