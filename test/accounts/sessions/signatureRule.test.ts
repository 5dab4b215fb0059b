import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { operations } from "../../operations/document.ts"
import { walletOf } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { documentedSigner, ruleIn } from "./documentedSigner.ts"

const describing = operations.filter(({ description = "" }) => ruleIn(description) !== undefined)

describe("the bytes that a wallet signs", () => {
  it("Both operations of a sign-in describe the bytes, and so does the link of a wallet", () => {
    assert.deepStrictEqual(
      describing.map(({ operationId }) => operationId),
      ["sessionsChallengeWallet", "sessionsClaimWallet", "accountWalletLink"]
    )
  })

  it("A signer that follows the description computes the values of its test vector", () => {
    for (const { description = "", operationId } of describing) {
      const vector = ruleIn(description)
      const { digestOf, publicKey, sign } = documentedSigner(description, vector?.["private key"] ?? "")
      const message = vector?.["message"] ?? ""
      assert.deepStrictEqual(
        [publicKey, digestOf(message), sign(message)],
        [vector?.["public key"], vector?.["digest"], vector?.["signature"]],
        operationId
      )
      // A length in characters would give the same bytes for a plain text.
      assert.isAbove(Buffer.byteLength(message), message.length)
    }
  })
})

layer(service(database("test_signature_rule")))("a client that has only the description", (it) => {
  it.effect("A signer that follows the description signs in", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const [{ description = "" } = {}] = describing
      const { sign } = documentedSigner(description, "0".repeat(62) + "2a")
      const { account } = walletOf(42)
      const challenge = yield* client.send("POST", "/api/v1/auth/nano/challenge", { body: { account } })
      const { challengeId, message } = challenge.body
      const claim = yield* client.send("POST", "/api/v1/auth/nano/claim", {
        body: { challengeId, account, signature: sign(message) }
      })
      assert.deepStrictEqual([claim.status, typeof claim.body.accessToken], [200, "string"])
    })
  )
})
