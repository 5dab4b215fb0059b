import { bytesToHex } from "@noble/hashes/utils.js"
import { Effect, Redacted } from "effect"
import { addressOfPublicKey } from "../../../schemas/platform/Nano.ts"
import { publicKeyOf } from "../../../src/platform/nano/keys.ts"
import { messageDigest } from "../../../src/platform/nano/messages.ts"
import { type NanoPrivateKey, sign } from "../../../src/platform/nano/signatures.ts"
import { TestClient } from "../TestClient.ts"

/** A wallet whose key the test holds; the same number gives the same wallet. */
export const walletOf = (number: number) => {
  const bytes = new Uint8Array(32)
  new DataView(bytes.buffer).setUint32(28, number)
  const privateKey: NanoPrivateKey = Redacted.make(bytes)
  return { privateKey, account: addressOfPublicKey(publicKeyOf(privateKey)) }
}

/** Signs a sign-in message with a wallet, in hex. */
export const signMessage = (
  wallet: ReturnType<typeof walletOf>,
  message: string,
  format: "noms" | "blake2b" = "noms"
) => bytesToHex(sign(wallet.privateKey, messageDigest(format, message)))

/** Signs in over the wire, as a client does. */
export const signIn = Effect.fnUntraced(function* (number: number) {
  const client = yield* TestClient
  const wallet = walletOf(number)
  const { body: challenge } = yield* client.send("POST", "/api/v1/auth/nano/challenge", {
    body: { account: wallet.account }
  })
  const { body: pair } = yield* client.send("POST", "/api/v1/auth/nano/claim", {
    body: {
      challengeId: challenge.challengeId,
      account: wallet.account,
      signature: signMessage(wallet, challenge.message)
    }
  })
  return { wallet, accessToken: pair.accessToken as string, refreshToken: pair.refreshToken as string }
})

/** An owner who can publish: with a Publishing key, a complete Profile and a payout address. */
export const publisher = Effect.fnUntraced(function* (number: number) {
  const client = yield* TestClient
  const owner = yield* signIn(number)
  const { body: issued } = yield* client.send("POST", "/api/v1/api-keys", {
    token: owner.accessToken,
    body: {}
  })
  const key = issued.key as string
  yield* client.send("PATCH", "/api/v1/profile", {
    token: key,
    body: { name: `Author ${number}`, handle: `author${number}` }
  })
  yield* client.send("PUT", "/api/v1/profile/payout-address", {
    token: owner.accessToken,
    body: { payoutAddress: owner.wallet.account }
  })
  return { ...owner, key, handle: `author${number}` }
})

/** A complete Post, ready to be published. */
export const completePost = {
  title: "On pennies",
  description: "What a penny buys",
  freeContentMarkdown: "A penny for your **thoughts**.",
  primaryCategoryId: 3,
  creationMethod: "human_written",
  creationAttested: true
}
