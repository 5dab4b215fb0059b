import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { HttpClientResponse } from "effect/http"
import type { PaymentSession } from "../../schemas/payments/sessions/PaymentSession.ts"
import type { ApiClient } from "../../src/client/PennypressClient.ts"

/** The operations whose method takes or returns a value without a type. */
type Untyped<Client> = {
  [Group in keyof Client]: {
    [Name in keyof Client[Group]]: Client[Group][Name] extends (
      request: infer Request
    ) => Effect.Effect<infer Success, infer Failure, never>
      ? unknown extends Request | Success | Failure
        ? [Group, Name]
        : never
      : [Group, Name]
  }[keyof Client[Group]]
}[keyof Client]

type Nothing<Found> = [Found] extends [never] ? true : Found

/** A client with three methods: the last two have no types. */
interface Collapsed {
  readonly group: {
    readonly typed: (request: { readonly id: string }) => Effect.Effect<string>
    readonly answer: (request: { readonly id: string }) => Effect.Effect<unknown>
    readonly request: (request: unknown) => Effect.Effect<string>
  }
}

/** Opens, reads and cancels a session, with one call inside the arguments of another. */
const walk = (client: ApiClient) =>
  Effect.gen(function* () {
    const headers = { "idempotency-key": yield* Effect.succeed("a key") }
    const { replayed, sessionId, token, ...opened } = yield* client.paymentSessions.create({
      headers,
      payload: { kind: "tip", amountXno: "0.25", handle: "ada" }
    })
    const [read, response] = yield* client.paymentSessions.read({
      params: { sessionId },
      query: { wait: 1 },
      headers: { "x-session-token": token },
      responseMode: "decoded-and-response"
    })
    const cancelled = yield* client.paymentSessions.cancel({
      params: {
        sessionId: (yield* client.paymentSessions.read({ params: { sessionId }, query: {}, headers: {} }))
          .sessionId
      },
      headers: {}
    })
    return { cancelled, opened: { sessionId, ...opened }, read, replayed, response }
  })

describe("the types of the derived client", () => {
  it("Each operation has the types of its request, its answer and its refusals", () => {
    // The bytes of a file come from the caller, whose stream may fail with anything.
    const all: Nothing<Exclude<Untyped<ApiClient>, ["imports", "sendFile"]>> = true
    // @ts-expect-error The check finds both methods without types.
    const some: Nothing<Untyped<Collapsed>> = true
    assert.deepStrictEqual([all, some], [true, true])
  })

  it("Calls of payment sessions keep their types in a generator", () => {
    const typed: (client: ApiClient) => Effect.Effect<
      {
        readonly cancelled: PaymentSession
        readonly opened: PaymentSession
        readonly read: PaymentSession
        readonly replayed: boolean
        readonly response: HttpClientResponse.HttpClientResponse
      },
      unknown
    > = walk
    assert.isFunction(typed)
  })
})
