/** A reader of a script: one of its accounts by number, the author, or no account. */
export type Who = 0 | 1 | "author" | "anonymous"

/** A step of a script. Posts, gifts and receipts are named by their numbers, which may not exist. */
export type Step =
  | { readonly do: "issue"; readonly post: number; readonly max: number; readonly lives: number | null }
  | { readonly do: "redeem"; readonly gift: number; readonly who: 0 | 1 | "author" }
  | {
      readonly do: "read"
      readonly post: number
      readonly who: Who
      readonly gift: number | null
      readonly key: 0 | 1 | 2
      readonly receipt: number | null
    }
  | { readonly do: "claim"; readonly receipt: number; readonly who: 0 | 1 | "author" }
  | { readonly do: "revoke"; readonly gift: number; readonly redeemed: "keep" | "revoke" }
  | { readonly do: "change"; readonly post: number; readonly isPublic: boolean; readonly isPaid: boolean }
  | { readonly do: "wait"; readonly seconds: number }

/** The outcome of a step: the reason of an access, `done`, or the name of the refusal. */
export type Outcome = string

interface ModelGift {
  readonly post: number
  readonly max: number
  readonly expiresAt: number | null
  readonly readers: Set<Who>
  /** Receipts by the key that redeemed them. */
  readonly keys: Set<number>
  count: number
  isRevoked: boolean
  isEnded: boolean
}

/** The contract of gifts in memory, without a database, hashes and races. */
export class GiftModel {
  readonly posts = [0, 1].map(() => ({ isPublic: true, isPaid: true }))
  readonly gifts: Array<ModelGift> = []
  /** The gifts of the receipts that were answered. */
  readonly receipts: Array<number> = []
  /** The accounts that claimed receipts, by the number of the receipt. */
  readonly claims = new Map<number, Who>()
  seconds = 0

  stateOf({ count, expiresAt, isRevoked, max }: ModelGift) {
    if (isRevoked) return "revoked"
    if (expiresAt !== null && this.seconds >= expiresAt) return "expired"
    return count >= max ? "exhausted" : "active"
  }

  #refusal(gift: ModelGift): Outcome | undefined {
    const { isPaid, isPublic } = this.posts[gift.post]!
    const state = this.stateOf(gift)
    if (state !== "active") return `Gift${state[0]!.toUpperCase()}${state.slice(1)}`
    if (!isPublic) return "PostWithdrawn"
    return isPaid ? undefined : "PostIsFree"
  }

  #hasGift(post: number, who: Who) {
    return this.gifts.some((gift) => gift.post === post && gift.readers.has(who) && !gift.isEnded)
  }

  #read({ gift: number, key, post, receipt, who }: Step & { readonly do: "read" }): Outcome {
    const { isPaid, isPublic } = this.posts[post]!
    if (isPublic && !isPaid) return "free"
    if (isPublic && who === "author") return "author"
    if (who !== "anonymous" && this.#hasGift(post, who)) return "gift"
    if (receipt !== null) {
      const from = this.gifts[this.receipts[receipt] ?? -1]
      if (from !== undefined && from.post === post && !from.isEnded) return "gift"
      return isPublic ? "ReceiptInvalid" : "NotFound"
    }
    if (number === null) return isPublic ? "PaymentRequired" : "NotFound"
    const gift = this.gifts[number]
    if (gift?.post !== post) return isPublic ? "GiftInvalid" : "NotFound"
    if (gift.isEnded) return "GiftRevoked"
    if (who === "author") return "PostWithdrawn"
    if (who === "anonymous" && key !== 0 && gift.keys.has(key)) return "gift, with a receipt"
    const refusal = this.#refusal(gift)
    if (refusal !== undefined) return refusal
    gift.count++
    if (who !== "anonymous") {
      gift.readers.add(who)
      return "gift"
    }
    if (key !== 0) gift.keys.add(key)
    this.receipts.push(number)
    return "gift, with a receipt"
  }

  run(step: Step): Outcome {
    switch (step.do) {
      case "issue": {
        const { isPaid, isPublic } = this.posts[step.post]!
        if (!isPublic) return "NotFound"
        if (!isPaid) return "PostIsFree"
        this.gifts.push({
          post: step.post,
          max: step.max,
          expiresAt: step.lives === null ? null : this.seconds + step.lives,
          readers: new Set(),
          keys: new Set(),
          count: 0,
          isRevoked: false,
          isEnded: false
        })
        return "done"
      }
      case "redeem": {
        const gift = this.gifts[step.gift]
        if (gift === undefined) return "GiftInvalid"
        if (gift.isEnded) return "GiftRevoked"
        if (gift.readers.has(step.who)) return "done"
        if (step.who === "author") return "AlreadyPurchased"
        const refusal = this.#refusal(gift)
        if (refusal !== undefined) return refusal
        gift.count++
        gift.readers.add(step.who)
        return "done"
      }
      case "read":
        return this.#read(step)
      case "claim": {
        const gift = this.gifts[this.receipts[step.receipt] ?? -1]
        if (gift === undefined || gift.isEnded) return "ReceiptInvalid"
        const claimed = this.claims.get(step.receipt)
        if (claimed === step.who) return "done"
        if (claimed !== undefined || step.who === "author" || gift.readers.has(step.who))
          return "AlreadyOwned"
        this.claims.set(step.receipt, step.who)
        gift.readers.add(step.who)
        return "done"
      }
      case "revoke": {
        const gift = this.gifts[step.gift]
        if (gift === undefined) return "NotFound"
        gift.isRevoked = true
        gift.isEnded ||= step.redeemed === "revoke"
        return "done"
      }
      case "change":
        this.posts[step.post] = step
        return "done"
      case "wait":
        this.seconds += step.seconds
        return "done"
    }
  }
}
