import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { AccountDeletions } from "../../../src/engagement/account-deletion/AccountDeletions.ts"
import { later, now } from "../../../src/platform/time/now.ts"
import { signMessage, walletOf } from "../../support/actors/owner.ts"
import { workOff } from "../../support/actors/uploader.ts"
import { TestClient } from "../../support/TestClient.ts"

const PATH = "/api/v1/account/deletion"

/** Sends a request about the deletion of the account of a session. */
export const deletionOf = (accessToken: string) => {
  const send = (method: string, path = "", body?: object) =>
    Effect.flatMap(TestClient, (client) =>
      client.send(method, `${PATH}${path}`, { token: accessToken, ...(body === undefined ? {} : { body }) })
    )
  return {
    read: send("GET"),
    challenge: send("POST", "/challenge"),
    request: (body: object) => send("POST", "", body),
    keep: send("DELETE")
  }
}

/** Closes the account of a wallet, as its owner does. Returns the answer. */
export const closeAccount = Effect.fnUntraced(function* (
  number: number,
  { accessToken, handle }: { readonly accessToken: string; readonly handle: string }
) {
  const deletion = deletionOf(accessToken)
  const { body } = yield* deletion.challenge
  const signature = signMessage(walletOf(number), body.message)
  const answer = yield* deletion.request({ handle, challengeId: body.challengeId, signature })
  assert.strictEqual(answer.status, 200, answer.text)
  return answer
})

/** Claims the deletion that is due, as a worker does. */
export const claimDeletions = Effect.gen(function* () {
  const at = yield* now
  return yield* (yield* AccountDeletions).claim({ at, leaseUntil: later(at, 60_000), limit: 1 })
})

/** Does all work of deletions that is due, and of the files that they remove. Returns the number of its steps. */
export const eraseDue = Effect.gen(function* () {
  const { follow } = yield* AccountDeletions
  let steps = 0
  for (;;) {
    const works = yield* claimDeletions
    if (works.length === 0) return steps
    yield* Effect.forEach(works, follow, { discard: true })
    yield* workOff
    steps += works.length
    assert.isBelow(steps, 1000, "the work does not end")
  }
})
