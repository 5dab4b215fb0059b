import { bytesToHex } from "@noble/hashes/utils.js"
import { Effect, Redacted } from "effect"
import { CategoryId } from "../../../schemas/platform/Ids.ts"
import { addressOfPublicKey, NanoSignature } from "../../../schemas/platform/Nano.ts"
import type { PostDraft } from "../../../schemas/publishing/posts/PostDraft.ts"
import { publicKeyOf } from "../../../src/platform/nano/keys.ts"
import { messageDigest } from "../../../src/platform/nano/messages.ts"
import { type NanoPrivateKey, sign } from "../../../src/platform/nano/signatures.ts"
import { succeeding } from "../derivedClient.ts"

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
  const succeed = yield* succeeding()
  const wallet = walletOf(number)
  const { account } = wallet
  const { challengeId, message } = yield* succeed(({ sessions }) =>
    sessions.challengeWallet({ payload: { account } })
  )
  const { accessToken, refreshToken } = yield* succeed(({ sessions }) =>
    sessions.claimWallet({
      payload: { challengeId, account, signature: NanoSignature.make(signMessage(wallet, message)) }
    })
  )
  return { wallet, accessToken, refreshToken }
})

/** An owner who can publish: with a Publishing key, a complete Profile and a payout address. */
export const publisher = Effect.fnUntraced(function* (number: number) {
  const owner = yield* signIn(number)
  const succeed = yield* succeeding(owner.accessToken)
  const { key } = yield* succeed(({ apiKeys }) => apiKeys.issue({ headers: {}, payload: {} }))
  const withKey = yield* succeeding(key)
  yield* withKey(({ profile }) =>
    profile.update({ payload: { name: `Author ${number}`, handle: `author${number}` } })
  )
  yield* succeed(({ payoutAddress }) =>
    payoutAddress.save({ payload: { payoutAddress: owner.wallet.account } })
  )
  return { ...owner, key, handle: `author${number}` }
})

/** A complete Post, ready to be published. */
export const completePost = {
  title: "On pennies",
  description: "What a penny buys",
  freeContentMarkdown: "A penny for your **thoughts**.",
  primaryCategoryId: CategoryId.make(3),
  creationMethod: "human_written",
  creationAttested: true
} as const satisfies PostDraft
