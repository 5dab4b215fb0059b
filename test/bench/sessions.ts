import { post } from "./loadRequest.ts"
import type { Conversation, Operation } from "./operation.ts"
import type { walletsOf } from "./wallets.ts"

/** Asks for a challenge and claims it, with one wallet after the other. */
export const signInOf = (wallets: ReturnType<typeof walletsOf>): Operation => {
  let turn = 0
  const challenge = (account: string) => post("/api/v1/auth/nano/challenge", { account })
  const begin = (): Conversation => {
    let isClaimNext = false
    let wallet = wallets(turn++)
    return (lastAnswer) => {
      if (isClaimNext) {
        isClaimNext = false
        const { challengeId, message } = JSON.parse(lastAnswer)
        const { account } = wallet
        return post("/api/v1/auth/nano/claim", { challengeId, account, signature: wallet.sign(message) })
      }
      isClaimNext = true
      wallet = wallets(turn++)
      return challenge(wallet.account)
    }
  }
  return {
    name: "sign-in",
    title: "Sign in with a wallet: challenge and claim",
    isRead: false,
    status: 201,
    request: () => challenge(wallets(turn++).account),
    conversation: { steps: 2, begin },
    ownAlone: "most of it is the verification of a signature, which any server in JavaScript does alike"
  }
}

/** Each connection renews the session of a family of its own. */
export const refreshOf = (families: ReadonlyArray<string>): Operation => {
  let used = 0
  const refresh = (refreshToken: string) => post("/api/v1/auth/refresh", { refreshToken })
  const newFamily = () => {
    const token = families[used++]
    if (token === undefined)
      throw new Error(`${families.length} seeded sessions are too few for so many rounds`)
    return refresh(token)
  }
  const begin = (): Conversation => {
    let hasBegun = false
    return (lastAnswer) => {
      if (hasBegun) return refresh(JSON.parse(lastAnswer).refreshToken)
      hasBegun = true
      return newFamily()
    }
  }
  return {
    name: "refresh",
    title: "Refresh a session",
    isRead: false,
    status: 200,
    request: newFamily,
    first: { statement: "refreshToken", refused: () => refresh("none") },
    conversation: { steps: 1, begin }
  }
}
