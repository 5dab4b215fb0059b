import { DateTime, Effect, Option, Result, Schema } from "effect"
import { Base64Url } from "effect/encoding"
import { Mailbox } from "../../../schemas/platform/EmailAddress.ts"
import { OwnerId, SubscriberId } from "../../../schemas/platform/Ids.ts"
import { Sealer } from "../../platform/ports/Sealer.ts"
import { later } from "../../platform/time/now.ts"

/** The paths of the links that confirm a subscription and end it. The token ends them: caches drop queries. */
export const CONFIRM_PATH = "/subscriptions/confirm"
export const END_PATH = "/subscriptions/end"

/** A request to be confirmed. */
interface Confirmation {
  readonly id: SubscriberId
  readonly askedAt: Date
}

/** A reader of an author, by what stays when they leave and come back. */
export interface ReaderOf {
  readonly author: OwnerId
  readonly mailbox: Mailbox
}

const CONFIRM = /^subscribe ([\da-f]{32}) (\d{1,15})$/
const END = /^subscribed ([\da-f]{32}) (\S+)$/

/** The moment from which tokens count milliseconds. */
const EPOCH = DateTime.toDateUtc(DateTime.makeUnsafe(0))

const decodeId = Schema.decodeUnknownOption(SubscriberId)
const decodeReader = Schema.decodeUnknownOption(Schema.Struct({ author: OwnerId, mailbox: Mailbox }))

const digitsOf = (id: SubscriberId | OwnerId) => id.replaceAll("-", "")

const uuidOf = (digits = "") => digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")

/**
 * Makes the functions over the tokens of links. Tokens are sealed and not stored. Each kind begins in a way of its own, so
 * that a token serves one purpose.
 */
export const makeSubscriptionTokens = Effect.map(Sealer, (sealer) => {
  const sealed = (text: string) => Effect.map(sealer.seal(text), Base64Url.encode)

  const open = Effect.fnUntraced(function* (token: string) {
    const bytes = Base64Url.decode(token)
    return Result.isFailure(bytes) ? Option.none<string>() : yield* sealer.open(bytes.success)
  })

  return {
    /** Returns the path of the link that confirms a request. */
    confirmPath: ({ askedAt, id }: Confirmation) =>
      Effect.map(sealed(`subscribe ${digitsOf(id)} ${askedAt.getTime()}`), (it) => `${CONFIRM_PATH}/${it}`),
    /** Returns the path of the link that ends a subscription, at any time. */
    endPath: ({ author, mailbox }: ReaderOf) =>
      Effect.map(sealed(`subscribed ${digitsOf(author)} ${mailbox}`), (it) => `${END_PATH}/${it}`),
    /** Returns the request that a link confirms. */
    confirmationOf: Effect.fnUntraced(function* (token: string) {
      const [, digits, millis] = CONFIRM.exec(Option.getOrElse(yield* open(token), () => "")) ?? []
      return Option.map(decodeId(uuidOf(digits)), (id): Confirmation => ({
        id,
        askedAt: later(EPOCH, Number(millis))
      }))
    }),
    /** Returns the reader whose subscription a link ends. */
    readerOf: Effect.fnUntraced(function* (token: string) {
      const [, digits, mailbox] = END.exec(Option.getOrElse(yield* open(token), () => "")) ?? []
      return decodeReader({ author: uuidOf(digits), mailbox })
    })
  }
})
