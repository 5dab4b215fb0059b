import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { publisher } from "../support/actors/owner.ts"
import { database } from "../support/Database.ts"
import { service, TestClient } from "../support/TestClient.ts"
import { allows, operations } from "./document.ts"

/** One limit of spec 8, and the values on both sides of it. */
interface Limit {
  readonly operations: ReadonlyArray<string>
  readonly where: "body" | "query" | "header"
  /** The member of a body by its path; or the name of a parameter. */
  readonly name: string
  readonly within: ReadonlyArray<unknown>
  readonly beyond: ReadonlyArray<unknown>
  /** The other members of a body that is refused without them. */
  readonly beside?: Readonly<Record<string, unknown>>
}

const x = (length: number) => "x".repeat(length)
const padded = (text: string) => `  ${text} `
const link = (length: number) => `https://a.test/${x(length - 15)}`
const address = (length: number) =>
  `${x(64)}@${Array.from({ length: 3 }, () => x(62)).join(".")}.${x(length - 65 - 3 * 63 - 4)}.org`

const drafts = ["postsCreate", "postsUpdate"]
const keyed = ["apiKeysIssue", "giftsIssue", "postsCreate", "postsPublish", "postsUnpublish"]
const lists = ["discoveryPosts", "discoveryProfilePosts"]
const reactorPages = [
  "publicReactionsOfPost",
  "publicReactionsOfComment",
  "publicReactionsOfPostComment",
  "reactionsOfPost",
  "reactionsOfComment"
]
const followLists = ["followListsFollowers", "followListsFollowing"]
const discussions = ["commentsList", "publicCommentsList"]
const uuid = "3f2b8c1e-7d65-4a90-9b1f-2c4d6e8f0a12"

/** A text of this many characters, in a member of a body. */
const text = (
  operationIds: ReadonlyArray<string>,
  name: string,
  [least, most]: readonly [number, number],
  more: Partial<Limit> = {}
): Limit => ({
  operations: operationIds,
  where: "body",
  name,
  within: [x(Math.max(1, least)), x(most)],
  beyond: [...(least > 0 ? [x(least - 1)] : []), x(most + 1)],
  ...more
})

const integer = (
  operationIds: ReadonlyArray<string>,
  where: "body" | "query",
  name: string,
  [least, most]: readonly [number, number],
  within: ReadonlyArray<number> = [least, most]
): Limit => ({
  operations: operationIds,
  where,
  name,
  within,
  beyond: [least - 1, most + 1, 1.5, ...(where === "query" ? ["1e1", "+5", "", "0x1"] : [])],
  beside:
    name === "revision"
      ? { payoutAddress: "nano_1111111111111111111111111111111111111111111111111111hifc8npp" }
      : {}
})

const email = { email: "ada@example.org" }

const limits: ReadonlyArray<Limit> = [
  ...["sessionsLogin", "registrationsRegister", "accountEmailChange"].map((id): Limit => ({
    operations: [id],
    where: "body",
    name: "email",
    within: ["a@b.org", address(310)],
    beyond: [address(321), "ada"]
  })),
  text(["sessionsVerify", "registrationsVerify", "accountEmailVerify"], "code", [6, 6], {
    within: ["123456"],
    beyond: ["12345", "1234567"]
  }),
  text(["sessionsRefresh"], "refreshToken", [1, 200]),
  text(["accountEmailVerify"], "confirmationUrl", [0, 2048], { within: [] }),
  text(["registrationsIssueKey", "profileUpdate"], "handle", [4, 30], {
    within: [x(4), x(30), padded(x(30))],
    beyond: [x(3), x(31), padded(x(3)), "ab-cd"]
  }),
  text(["apiKeysIssue", "apiKeysRotate"], "label", [1, 80], { beyond: ["", "   ", x(81)] }),
  text(["profileUpdate"], "name", [1, 50], {
    within: [x(1), x(50), padded(x(50)), "👨‍👩‍👧‍👦".repeat(50), "é".repeat(50)],
    beyond: ["", " \n", x(51), `${x(25)} ${x(25)}`, "👨‍👩‍👧‍👦".repeat(58)]
  }),
  text(["profileUpdate"], "bio", [0, 250]),
  text(["profileUpdate"], "location", [0, 80], { within: ["", x(80), padded(x(80))] }),
  {
    operations: ["profileUpdate"],
    where: "body",
    name: "socialLinks",
    within: [[], [{ label: x(40), url: link(2048) }]],
    beyond: [
      [1, 2, 3].map(() => ({ label: "X", url: "https://x.test" })),
      [{ label: x(41), url: "https://x.test" }],
      [{ label: "", url: "https://x.test" }],
      [{ label: "X", url: link(2049) }]
    ]
  },
  {
    operations: ["profileUpdate"],
    where: "body",
    name: "tipping",
    within: [
      { buttonLabel: x(40), amounts: [0.001, 0.25, 133_248_297] },
      { buttonLabel: "T", amounts: [1, 2, 3] }
    ],
    beyond: [
      { buttonLabel: x(41), amounts: [1, 2, 3] },
      { buttonLabel: "", amounts: [1, 2, 3] },
      ...[
        [0.0009, 1, 2],
        [1, 2, 133_248_298],
        [1, 2],
        [1, 2, 3, 4]
      ].map((amounts) => ({
        buttonLabel: "T",
        amounts
      }))
    ]
  },
  integer(["payoutAddressSave"], "body", "revision", [0, 2_147_483_647]),
  text(drafts, "title", [0, 200]),
  text(drafts, "description", [0, 500], { within: ["", x(500), padded(x(500))] }),
  text(drafts, "paidContentMarkdown", [0, 200_000]),
  text(drafts, "freeContentMarkdown", [0, 200_000]),
  text(drafts, "priceXno", [0, 80], { within: ["0.25"], beyond: [x(81)] }),
  text(drafts, "priceRaw", [0, 80], { within: [`25${"0".repeat(28)}`], beyond: [x(81)] }),
  integer(drafts, "body", "primaryCategoryId", [1, 2_147_483_647], [1, 30]),
  text(drafts, "slug", [1, 120]),
  text(drafts, "canonicalUrl", [0, 2048], { within: [link(2048)], beyond: [link(2049)] }),
  text(drafts, "ogImage", [0, 2048], { within: [link(2048)], beyond: [link(2049)] }),
  text(drafts, "language", [2, 35], { within: ["en", "pt-BR"], beyond: [x(36)] }),
  text(drafts, "ogTitle", [0, 200]),
  text(drafts, "ogDescription", [0, 500]),
  text(drafts, "creationDetails", [0, 280]),
  text(keyed, "Idempotency-Key", [1, 255], {
    where: "header",
    beyond: [x(256), "a b"]
  }),
  integer(["giftsIssue"], "body", "maxRedemptions", [1, 10_000]),
  text(["giftsIssue"], "label", [1, 80], { within: ["x", x(80), padded(x(80))], beyond: ["", "  ", x(81)] }),
  text(["giftsRedeem"], "token", [0, 200]),
  text(["giftsClaim"], "receiptToken", [0, 200]),
  integer(["giftsList"], "query", "limit", [1, 100]),
  text(["webhooksCreate", "webhooksChange"], "url", [1, 2048], {
    within: ["https://a.test", link(2048)],
    beyond: ["", "a", link(2049), "https://a.test/#b", "https://a:b@a.test"]
  }),
  {
    operations: ["webhooksCreate", "webhooksChange"],
    where: "body",
    name: "events",
    within: [["*"], ["post.published", "tip.settled"]],
    beyond: [[], ["post.published", "post.published"], ["webhook.test"], ["nothing"]]
  },
  text(["webhooksCreate", "webhooksChange"], "description", [0, 200]),
  integer(["webhooksRotateSecret"], "body", "keepSeconds", [0, 604_800]),
  integer(["webhooksDeliveries"], "query", "limit", [1, 100]),
  text(["webhooksDeliveries"], "cursor", [0, 400], { where: "query", within: [""] }),
  text(["giftsList"], "cursor", [0, 400], { where: "query", within: [""] }),
  text(["uploadsList"], "requestKey", [1, 255], { where: "query", beyond: ["", x(256), "a b"] }),
  text(["discoveryPosts"], "q", [1, 200], {
    where: "query",
    within: ["x", x(200), padded(x(200))],
    beyond: ["", "  ", x(201)]
  }),
  text(["discoveryPosts"], "handle", [0, 30], { where: "query" }),
  text(["discoveryPosts"], "language", [0, 35], { where: "query" }),
  text(["discoveryHandleAvailability"], "handle", [0, 200], { where: "query" }),
  text(lists, "cursor", [0, 200], { where: "query", within: [""] }),
  integer(lists, "query", "page", [1, 1000]),
  integer(lists, "query", "per_page", [1, 50]),
  text(["commentsAppend"], "content", [1, 2000], {
    within: ["x", x(2000), padded(x(2000)), "é".repeat(2000)],
    beyond: ["", " \n", x(2001)]
  }),
  text(["commentsAppend"], "Idempotency-Key", [1, 128], {
    where: "header",
    beyond: [x(129), "a b"],
    beside: { content: "a" }
  }),
  integer(discussions, "query", "limit", [1, 100]),
  text(discussions, "cursor", [0, 400], { where: "query", within: [""] }),
  integer(followLists, "query", "page", [1, 1000]),
  integer(followLists, "query", "per_page", [1, 50]),
  integer(["leaderboardsRead"], "query", "limit", [1, 100]),
  integer(["leaderboardsRead"], "query", "offset", [0, 2_147_483_647]),
  integer(["discoveryPosts"], "query", "categoryId", [1, 2_147_483_647]),
  integer(reactorPages, "query", "limit", [1, 100]),
  integer(reactorPages, "query", "offset", [0, 100_000]),
  integer(["postsList"], "query", "page", [1, 100_000]),
  integer(["postsList"], "query", "per_page", [1, 50])
]

/** Members that an operation requires of every body. */
const required: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  sessionsVerify: email,
  giftsIssue: { postId: uuid },
  webhooksCreate: { url: "https://a.test", events: ["*"] },
  postsCreate: { freeContentMarkdown: "a" }
}

const params = {
  registrationId: uuid,
  keyId: "0".repeat(16),
  postId: uuid,
  commentId: uuid,
  operationId: uuid,
  webhookId: uuid,
  handle: "author1",
  userId: uuid
}

layer(service(database("test_operations_limits")))("the limits of the document", (it) => {
  let known: Effect.Success<ReturnType<typeof publisher>> | undefined

  for (const limit of limits)
    for (const operationId of limit.operations)
      it.effect(`The service keeps the limits of ${limit.name} of ${operationId} in the document`, () =>
        Effect.gen(function* () {
          const client = yield* TestClient
          const owner = (known ??= yield* publisher(1))
          const operation = operations.find((it) => it.operationId === operationId)
          assert.isDefined(operation)
          const isPublishing = operation.security.some((it) => "publishingKey" in it)
          const isPublic =
            operation.security.length === 0 || operation.security.some((it) => Object.keys(it).length === 0)
          const token = isPublic ? {} : { token: isPublishing ? owner.key : owner.accessToken }
          const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: keyof typeof params) => params[name])
          const others = { ...required[operationId], ...limit.beside }

          const refuses = Effect.fnUntraced(function* (value: unknown) {
            const body = limit.where === "body" ? { ...others, [limit.name]: value } : others
            const query = limit.where === "query" ? `?${limit.name}=${encodeURIComponent(String(value))}` : ""
            const { body: answer, status } = yield* client.send(
              operation.method.toUpperCase(),
              `${path}${query}`,
              {
                ...token,
                headers: {
                  ...(operationId === "registrationsRegister" ? { "Idempotency-Key": uuid } : {}),
                  ...(["postsPublish", "commentsAppend", "giftsIssue"].includes(operationId)
                    ? { "Idempotency-Key": "one" }
                    : {}),
                  ...(limit.where === "header" ? { [limit.name]: String(value) } : {})
                },
                ...(operation.requestBody === undefined
                  ? {}
                  : { body: operationId.endsWith("publish") ? {} : body })
              }
            )
            const errors: ReadonlyArray<{ readonly field: string }> =
              answer?.errors ?? answer?.data?.errors ?? []
            return status === 422 && errors.some(({ field }) => field.startsWith(limit.name))
          })
          const documentRefuses = (value: unknown) =>
            !allows(
              operation,
              limit.where,
              limit.name,
              limit.where === "body" ? { ...others, [limit.name]: value } : value
            )

          for (const [isBeyond, values] of [
            [false, limit.within],
            [true, limit.beyond]
          ] as const)
            for (const value of values) {
              const said = `${JSON.stringify(value).slice(0, 60)} (${String(value).length})`
              assert.strictEqual(yield* refuses(value), isBeyond, `the service on ${said}`)
              assert.strictEqual(documentRefuses(value), isBeyond, `the document on ${said}`)
            }
        })
      )
})
