import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { addressOfPublicKey, NanoPublicKey, publicKeyOfAddress } from "../../../schemas/platform/Nano.ts"
import { signIn, walletOf } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { challengeOf, fieldCodes } from "./flows.ts"

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const addressOf = (publicKey: string) => addressOfPublicKey(NanoPublicKey.make(publicKey))

/** Keys that make signatures meaningless, each as an address with a valid checksum. */
const unusable = {
  "the zero key": addressOf("0".repeat(64)),
  "the identity, of order 1": addressOf(`01${"0".repeat(62)}`),
  "a key of order 2": addressOf(`ec${"ff".repeat(30)}7f`),
  "a key of order 4": addressOf(`${"00".repeat(31)}80`),
  "a key of order 8": addressOf("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"),
  "another key of order 8": addressOf("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"),
  "not a point": addressOf(`02${"0".repeat(62)}`),
  "a spelling that is not canonical": addressOf(`ee${"ff".repeat(30)}7f`),
  "the identity in a spelling that is not canonical": addressOf(`01${"0".repeat(60)}80`)
}

layer(service(database("test_wallet_challenge")))("the challenge of a wallet login (5)", (it) => {
  const ask = (body: unknown) =>
    Effect.flatMap(TestClient, (client) => client.send("POST", "/api/v1/auth/nano/challenge", { body }))

  it.effect("A challenge is a CAIP-122 message for five minutes, to the byte", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 21, 5, 0, 0, 123))
      const { account } = walletOf(1)
      const answer = yield* ask({ account })
      assert.strictEqual(answer.status, 201)
      assert.strictEqual(answer.headers.get("cache-control"), "private, no-store")
      const { challengeId, message, ...rest } = answer.body
      assert.deepStrictEqual(rest, {
        account,
        signatureFormats: ["noms", "blake2b"],
        issuedAt: "2026-11-21T05:00:00.123000Z",
        expiresAt: "2026-11-21T05:05:00.123000Z"
      })
      assert.match(challengeId, UUID)
      const nonce = /\nNonce: ([0-9a-f]{32})\n/.exec(message)?.[1]
      assert.isDefined(nonce)
      assert.strictEqual(
        message,
        `press.test wants you to sign in with your Nano account:\n${account}\n\n` +
          "Sign in to Pennypress. This sends no transaction and costs nothing.\n\n" +
          "URI: https://press.test/api/v1/auth/nano/claim\nVersion: 1\nChain ID: nano:mainnet\n" +
          `Nonce: ${nonce}\nIssued At: 2026-11-21T05:00:00.123000Z\n` +
          `Expiration Time: 2026-11-21T05:05:00.123000Z\nRequest ID: ${challengeId}`
      )
    })
  )

  it.effect("Each challenge has its own id and nonce", () =>
    Effect.gen(function* () {
      const challenges = yield* Effect.all([challengeOf(walletOf(1)), challengeOf(walletOf(1))])
      const nonces = challenges.map(({ message }) => /Nonce: (.*)/.exec(message)?.[1])
      assert.strictEqual(new Set(nonces).size, 2)
      assert.notStrictEqual(challenges[0].challengeId, challenges[1].challengeId)
    })
  )

  it.effect("A challenge takes an address with the old prefix xrb_ and answers it as nano_", () =>
    Effect.gen(function* () {
      const { account } = walletOf(2)
      const { body, status } = yield* ask({ account: account.replace("nano_", "xrb_") })
      assert.strictEqual(status, 201)
      assert.strictEqual(body.account, account)
      assert.strictEqual(body.message.split("\n")[1], account)
      assert.notInclude(body.message, "xrb_")
    })
  )

  it.effect("An address is read as it is pasted, and answered without what surrounds it", () =>
    Effect.gen(function* () {
      const { account } = walletOf(2)
      for (const pasted of [
        ` ${account}\r\n`,
        `nano:${account}`,
        `\u00A0nano:${account}?amount=1000&label=a+b `,
        `xrb:${account.replace("nano_", "xrb_")}`
      ]) {
        const { body, status } = yield* ask({ account: pasted })
        assert.deepStrictEqual([status, body.account], [201, account], pasted)
      }
      for (const wrong of [
        `${account}x`,
        `nano:nano:${account}`,
        `${account} ${account}`,
        " ".repeat(1_001)
      ]) {
        assert.strictEqual((yield* ask({ account: wrong })).status, 422, wrong)
      }
    })
  )

  it.effect("A challenge does not reveal whether the account is known", () =>
    Effect.gen(function* () {
      const { wallet } = yield* signIn(3)
      const known = yield* ask({ account: wallet.account })
      const unknown = yield* ask({ account: walletOf(4).account })
      const shape = ({ body, headers, status }: typeof known) => ({
        status,
        members: Object.keys(body),
        headers: [...headers.keys()],
        lines: body.message.split("\n").map((line: string) => line.length)
      })
      assert.deepStrictEqual(shape(known), shape(unknown))
    })
  )

  it.effect("A challenge for an unusable key is refused, and nothing is saved", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const [why, account] of Object.entries(unusable)) {
        assert.deepStrictEqual(fieldCodes(yield* ask({ account })), [["account", "invalid"]], why)
        const saved = yield* sql`select from wallet_challenges
          where public_key = decode(${publicKeyOfAddress(account)}, 'hex')`
        assert.lengthOf(saved, 0)
      }
    })
  )

  it.effect("A challenge for an invalid Nano address is refused", () =>
    Effect.gen(function* () {
      const { account } = walletOf(1)
      const flipped = `${account.slice(0, -1)}${account.endsWith("1") ? "3" : "1"}`
      const malformed = [
        "",
        flipped,
        account.slice(0, -1),
        `${account}1`,
        account.toUpperCase(),
        `${account} ${account}`,
        account.replace("nano_", "ban_"),
        account.replace("_", "-"),
        account.slice(5),
        `nano_4${account.slice(6)}`
      ]
      for (const address of malformed) {
        assert.deepStrictEqual(
          fieldCodes(yield* ask({ account: address })),
          [["account", "invalid"]],
          address
        )
      }
      for (const account of [null, 7, true, {}, [walletOf(1).account]]) {
        assert.deepStrictEqual(fieldCodes(yield* ask({ account })), [["account", "invalid"]])
      }
      assert.deepStrictEqual(fieldCodes(yield* ask({})), [["account", "required"]])
      assert.deepStrictEqual(fieldCodes(yield* ask({ account, chain: "nano" })), [["chain", "unknown"]])
    })
  )
})
