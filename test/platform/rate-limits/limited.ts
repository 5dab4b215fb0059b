import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { IpNetwork } from "effect/net"
import { withSettings } from "../../../src/platform/ports/Settings.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient, type TestAnswer, type TestRequest } from "../../support/TestClient.ts"

const proxies = withSettings({ trustedProxies: [IpNetwork.fromStringUnsafe("10.0.0.0/8")] })

/** Provides the service with its usual limits, behind a proxy that it trusts. */
export const limited = (name: string) =>
  service(database(name), 1, { rateLimitFactor: 1 }).pipe(Layer.provide(proxies))

/** Sends a request by the client of the contract. */
export const send = (method: string, path: string, request?: TestRequest) =>
  Effect.flatMap(TestClient, (client) => client.send(method, path, request))

export const times = <A, E, R>(count: number, effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.replicateEffect(effect, count), (all) => all as ReadonlyArray<A>)

export const statuses = (answers: ReadonlyArray<TestAnswer>) => [
  ...new Set(answers.map(({ status }) => status))
]

/** Asserts that a limit refused the request, in the words of its family of errors. */
export const assertLimited = (
  answer: TestAnswer,
  family: "problem" | "json" | "page",
  limit: string,
  seconds: number
) => {
  assert.strictEqual(answer.status, 429, answer.text)
  assert.strictEqual(answer.headers.get("retry-after"), String(seconds))
  assert.strictEqual(answer.headers.get("ratelimit"), `"${limit}";r=0;t=${seconds}`)
  assert.strictEqual(answer.headers.get("cache-control"), "private, no-store")
  if (family === "page") assert.include(answer.text, "Too many requests")
  else if (family === "problem") {
    assert.match(answer.body.type, /\/problems\/rate-limited$/)
    assert.strictEqual(answer.body.retryAfterSeconds, seconds)
  } else {
    assert.deepStrictEqual(answer.body.data, { code: "rate_limited", retryAfter: seconds })
  }
}

/** Asserts what an answer tells of a limit. */
export const assertTold = ({ headers }: TestAnswer, policy: string, quota: string) => {
  assert.strictEqual(headers.get("ratelimit-policy"), policy)
  assert.strictEqual(headers.get("ratelimit"), quota)
}
