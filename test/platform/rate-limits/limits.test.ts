import { assert, describe, it } from "@effect/vitest"
import { Context } from "effect"
import { HttpApi, OpenApi } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import { JsonFamily } from "../../../schemas/platform/errors/families.ts"
import { LinkQuery } from "../../../schemas/platform/errors/linkQuery.ts"
import { StrictMembers } from "../../../schemas/platform/errors/strictMembers.ts"
import { type LimitName, limits, RateLimit } from "../../../schemas/platform/rate-limits/limits.ts"
import { JsonRateLimits, ProblemRateLimits } from "../../../schemas/platform/rate-limits/middleware.ts"
import {
  OwnerOrKey,
  OwnerSession,
  OwnerSessionProblem,
  PublicRead,
  PublishingKey
} from "../../../schemas/platform/security/middleware.ts"

interface Operation {
  readonly id: string
  readonly limit: LimitName | undefined
  /** Innermost first. */
  readonly middlewares: ReadonlyArray<string>
}

const operations: Array<Operation> = []
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, group }) => {
    operations.push({
      id: `${group.identifier}.${endpoint.identifier}`,
      limit: Context.getOrUndefined(endpoint.annotations, RateLimit),
      middlewares: [...endpoint.middlewares].map((it) => it.key)
    })
  }
})

/** Credential checks that limits by account or key count by. */
const checks = {
  account: [OwnerSession.key, OwnerSessionProblem.key, OwnerOrKey.key],
  key: [PublishingKey.key]
}

describe("the limits of operations", () => {
  it("Every operation has a limit, except those that create Posts, begin imports and end credentials", () => {
    assert.isAbove(operations.length, 30)
    assert.deepStrictEqual(
      operations.flatMap(({ id, limit }) => (limit === undefined ? [id] : [])).toSorted(),
      ["apiKeys.revoke", "imports.begin", "posts.create", "sessions.logout"]
    )
  })

  it("A limit stands inside the check of its credential, in the family of the operation", () => {
    for (const { id, limit, middlewares } of operations) {
      const expected = middlewares.includes(JsonFamily.key) ? JsonRateLimits.key : ProblemRateLimits.key
      const innermost = middlewares.find((key) => key !== StrictMembers.key && key !== LinkQuery.key)
      assert.strictEqual(innermost, expected, id)
      const credentials = [...checks.account, ...checks.key].filter((key) => middlewares.includes(key))
      if (limit === undefined && id !== "posts.create" && id !== "imports.begin") continue
      const by = limit === undefined ? "key" : limits[limit].by
      if (by === "account" || by === "key") {
        assert.isTrue(
          credentials.some((key) => checks[by].includes(key)),
          id
        )
      } else if (by === "caller") {
        assert.isTrue(
          [...checks.account, PublicRead.key].some((key) => middlewares.includes(key)),
          id
        )
      } else {
        assert.strictEqual(by, "ip", id)
        assert.deepStrictEqual(credentials, [], id)
      }
    }
  })

  it("Every way to sign in has a limit that fails closed", () => {
    const open = operations.filter(({ limit }) => limit !== "sign-in").map(({ id }) => id)
    const signIn = ["challengeWallet", "claimWallet", "login", "verify"].map((name) => `sessions.${name}`)
    for (const id of [...signIn, "registrations.register", "registrations.verify"])
      assert.notInclude(open, id)
    assert.strictEqual(limits["sign-in"].whenAway, "closed")
  })

  it("Operations that send a code by mail describe the limits of mails", () => {
    const document = JSON.parse(JSON.stringify(OpenApi.fromApi(Api)))
    for (const path of ["registrations", "auth/login", "account/email", "account/email/resend"]) {
      const { description } = document.paths[`/api/v1/${path}`].post
      assert.include(description, "An address causes at most 60 an hour and 200 a day", path)
      if (path !== "auth/login") assert.include(description, "at most 600 mails an hour for all", path)
    }
  })

  it("Limits are described on the answers that report them", () => {
    const document = JSON.parse(JSON.stringify(OpenApi.fromApi(Api)))
    const told = { $ref: "#/components/headers/RateLimit" }
    for (const operation of Object.values<any>(document.paths).flatMap((it) => Object.values<any>(it))) {
      const refused = operation.responses["429"].headers
      assert.sameMembers(Object.keys(refused), [
        "Retry-After",
        "RateLimit-Policy",
        "RateLimit",
        "X-Request-Id",
        // A payer learns the outcome of a payment from every answer.
        ...("x-payment-info" in operation ? ["Payment-Response"] : [])
      ])
      if (["sessionsLogout", "apiKeysRevoke"].includes(operation.operationId)) continue
      const succeeded = Object.entries<any>(operation.responses).find(([status]) => status.startsWith("2"))
      assert.deepStrictEqual(succeeded?.[1].headers.RateLimit, told, operation.operationId)
    }
    assert.includeMembers(Object.keys(document.components.headers), [
      "Retry-After",
      "RateLimit-Policy",
      "RateLimit"
    ])
  })
})
