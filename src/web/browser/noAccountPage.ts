import type { Page } from "../../platform/pages/layout.ts"
import { messagePage } from "../../platform/pages/messagePage.ts"
import { type Onward, toSignIn } from "./onward.ts"

/** Tells the holder of a wallet that it has no account, and gets none. */
export const noAccountPage = (onward: Onward): Page =>
  messagePage({
    title: "This wallet has no account here",
    said: "Registration is closed at the moment, so it can't get one. If you have an account, sign in with its email address or its own wallet.",
    more: toSignIn(onward, "Sign in another way")
  })
