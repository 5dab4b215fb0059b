import type { Page } from "../../platform/pages/layout.ts"
import { messagePage } from "../../platform/pages/messagePage.ts"
import { type Onward, otherWay } from "./onward.ts"

/** Tells a reader that the site takes no new accounts. It says nothing about any account. */
export const closedPage = (onward: Onward): Page =>
  messagePage({
    title: "We're not taking new accounts",
    said: "Registration is closed at the moment. If you have an account, sign in as before.",
    more: otherWay(onward, "/sign-in", "Sign in")
  })

/** Tells the holder of a wallet that it has no account, and gets none. */
export const noAccountPage = (onward: Onward): Page =>
  messagePage({
    title: "This wallet has no account here",
    said: "Registration is closed at the moment, so it can't get one. If you have an account, sign in with its email address or its own wallet.",
    more: otherWay(onward, "/sign-in", "Sign in another way")
  })
