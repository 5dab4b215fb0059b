import { bytesToHex } from "@noble/hashes/utils.js"
import { Effect, Option, Redacted, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64 } from "effect/encoding"
import { EmailAddress } from "../../schemas/platform/EmailAddress.ts"
import { CategoryId } from "../../schemas/platform/Ids.ts"
import { addressOfPublicKey, NanoSignature, RAW_PER_XNO } from "../../schemas/platform/Nano.ts"
import { makeClient } from "../client/PennypressClient.ts"
import { publicKeyOf } from "../platform/nano/keys.ts"
import { nomsDigest } from "../platform/nano/messages.ts"
import { sign } from "../platform/nano/signatures.ts"
import { later, MINUTE_MILLIS, now } from "../platform/time/now.ts"
import { attach, download } from "./demoAttachment.ts"
import { buy, tip } from "./demoPayments.ts"
import { hasDevelopmentLedger, makeDemoWallet } from "./demoWallet.ts"
import { transcribing } from "./transcript.ts"

/** Category "Programming". */
const CATEGORY = CategoryId.make(26)

/** A square of one colour, 16 by 16 pixels. */
const AVATAR =
  "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQAQMAAAAlPW0iAAAAA1BMVEVKbPcw5nbYAAAADElEQVR42mNgIA0AAAAwAAEodEl9AAAAAElFTkSuQmCC"

const avatarForm = () => {
  const form = new FormData()
  const bytes = Result.getOrThrow(Base64.decode(AVATAR))
  form.append("file", new Blob([new Uint8Array(bytes)], { type: "image/png" }), "avatar.png")
  return form
}

export interface DemoOptions {
  readonly baseUrl: string
  /** Markdown of the Post. */
  readonly markdown: string
  readonly print: (line: string) => Effect.Effect<void>
  /** Returns the code that was mailed to an address; none where nothing reads the mails. */
  readonly mailedCode?: (address: string) => Effect.Effect<Option.Option<string>>
}

/** Creates a fresh wallet. Its private key never leaves this process. */
const freshWallet = Effect.gen(function* () {
  const random = yield* SecureRandom.SecureRandom
  const privateKey = Redacted.make(yield* random.randomBytes(32))
  return { privateKey, account: addressOfPublicKey(publicKeyOf(privateKey)) }
})

/**
 * Signs in with a fresh wallet, publishes two Posts and reads the free one without a credential. A second owner
 * comments, and the first gets a notification. A wallet without an account buys the other Post on the development
 * ledger, downloads its ZIP, and tips the author. Prints each request and its answer. Returns the public URL of the
 * Post, and by which address and from when on a person signs in as its author.
 */
export const runDemo = Effect.fnUntraced(function* ({
  baseUrl,
  mailedCode = () => Effect.succeedNone,
  markdown,
  print
}: DemoOptions) {
  const as = (credential?: Redacted.Redacted) =>
    makeClient({ baseUrl, credential, transform: transcribing(print) })
  const random = yield* SecureRandom.SecureRandom
  const suffix = bytesToHex(yield* random.randomBytes(4))
  const anybody = yield* as()

  /** Signs in with a fresh wallet. Returns the client of its owner. */
  const signIn = Effect.gen(function* () {
    const { account, privateKey } = yield* freshWallet
    const challenge = yield* anybody.sessions.challengeWallet({ payload: { account } })
    const signature = NanoSignature.make(bytesToHex(sign(privateKey, nomsDigest(challenge.message))))
    const { accessToken } = yield* anybody.sessions.claimWallet({
      payload: { challengeId: challenge.challengeId, account, signature }
    })
    return { account, client: yield* as(Redacted.make(accessToken)) }
  })

  yield* print("# A fresh wallet signs in, with a signature and nothing else")
  const { account, client: owner } = yield* signIn

  yield* print("\n# The owner issues a Publishing key and says where to be paid")
  const { key } = yield* owner.apiKeys.issue({ headers: {}, payload: { label: "demo" } })
  yield* owner.payoutAddress.save({ payload: { payoutAddress: account } })

  yield* print("\n# The key completes the Profile and publishes two Posts, one of them for sale with a ZIP")
  const publisher = yield* as(Redacted.make(key))
  yield* publisher.profile.update({ payload: { name: "Demo", handle: `demo_${suffix}` } })
  yield* publisher.uploads.avatar({
    headers: { "idempotency-key": `avatar-${suffix}` },
    payload: avatarForm()
  })
  const sold = yield* publisher.posts.create({
    headers: { "idempotency-key": `sold-${suffix}` },
    payload: {
      title: "What a penny buys",
      description: "A text for a thousandth of an XNO.",
      freeContentMarkdown: "Some things are worth a penny.",
      paidContentMarkdown: "This sentence is one of them.",
      enablePaywall: true,
      priceXno: "0.001",
      primaryCategoryId: CATEGORY,
      creationMethod: "human_written",
      creationAttested: true
    }
  })
  const attachmentId = yield* attach(publisher, sold.body, `zip-${suffix}`)
  yield* publisher.posts.publish({
    params: { postId: sold.body.id },
    headers: { "idempotency-key": `sold-publish-${suffix}` },
    payload: {}
  })
  const post = yield* publisher.posts.create({
    headers: { "idempotency-key": `demo-${suffix}` },
    payload: {
      title: `Pennypress, by itself (${suffix})`,
      description: "What Pennypress is, in the words of its own README.",
      freeContentMarkdown: markdown,
      primaryCategoryId: CATEGORY,
      creationMethod: "human_written",
      creationAttested: true
    }
  })
  const published = yield* publisher.posts.publish({
    params: { postId: post.body.id },
    headers: { "idempotency-key": `demo-publish-${suffix}` },
    payload: {}
  })

  yield* print("\n# Anyone can find it and read it")
  const { data } = yield* anybody.discovery.posts({ query: { q: suffix } })
  const [found] = data
  if (found === undefined) return yield* Effect.die("The Post was published and not found")
  yield* anybody.discovery.publicContent({ params: { postId: found.id } })

  yield* print("\n# A second owner reacts, follows the author and comments")
  const { client: reader } = yield* signIn
  const issued = yield* reader.apiKeys.issue({ headers: {}, payload: { label: "demo" } })
  const ownProfile = yield* as(Redacted.make(issued.key))
  yield* ownProfile.profile.update({ payload: { name: "Reader", handle: `reader_${suffix}` } })
  yield* reader.reactions.toPost({ params: { postId: found.id }, payload: { reaction: "heart" } })
  yield* reader.follows.save({ params: { creatorId: found.author.id }, payload: { following: true } })
  yield* reader.comments.append({
    params: { postId: found.id },
    headers: { "idempotency-key": `comment-${suffix}` },
    payload: { content: "A penny well spent." }
  })

  if (yield* hasDevelopmentLedger(baseUrl)) {
    yield* print("\n# A wallet without an account gets money from the faucet")
    const wallet = yield* makeDemoWallet(baseUrl, yield* freshWallet, transcribing(print))
    yield* wallet.fund(RAW_PER_XNO)
    const payer = { anybody, wallet, postId: sold.body.id, print }
    const receipt = yield* buy(payer)
    yield* print("\n# It downloads the ZIP that comes with the Post")
    yield* download({ anybody, attachmentId, postId: sold.body.id, receipt, print })
    yield* tip(payer)
  }

  yield* print("\n# The author is notified")
  yield* owner.notifications.feed({ query: {} })
  yield* owner.finance.summary({ query: {} })

  yield* print("\n# The author adds an email address, to sign in with in a browser")
  const email = EmailAddress.make(`demo_${suffix}@example.org`)
  yield* owner.accountEmail.change({ payload: { email } })
  const code = yield* mailedCode(email)
  // A mailbox gets one mail a minute.
  const mailedAt = yield* now
  if (Option.isSome(code)) yield* owner.accountEmail.verify({ payload: { code: code.value } })
  return {
    url: published.body.url,
    signIn: Option.as(code, { email, from: later(mailedAt, MINUTE_MILLIS) })
  }
})
