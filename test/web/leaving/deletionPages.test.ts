import { assert, describe, it } from "@effect/vitest"
import type { Deletion } from "../../../schemas/accounts/deletion/Deletion.ts"
import { documentOf } from "../../../src/platform/pages/layout.ts"
import { beginPage } from "../../../src/web/leaving/deletionPages.ts"
import { validated } from "../pages/documents.ts"
import { site } from "../pages/views.ts"

/** Returns the lines of the page for an account with this number of everything. */
const linesOf = (count: number) => {
  const raw = `${count}${"0".repeat(count === 0 ? 0 : 30)}`
  const deletion: Deletion = {
    state: "none",
    requestedAt: null,
    dueAt: null,
    consequences: {
      posts: count,
      buyers: count,
      salesRaw: raw,
      obligationsRaw: raw,
      purchases: count,
      comments: count,
      followers: count
    },
    confirm: ["code"]
  }
  const tags = validated(documentOf(site, beginPage(deletion, "ada", false)))
  const indexOf = (name: string) => tags.findIndex(({ tag }) => tag === name)
  return tags
    .slice(indexOf("h2"), indexOf("form"))
    .filter(({ tag }) => tag === "h2" || tag === "li")
    .map(({ text }) => text.replaceAll(/\s+/g, " ").trim())
}

describe("the numbers of an account that is deleted", () => {
  it("An account without posts, comments and payments reads of none", () => {
    assert.deepStrictEqual(linesOf(0), [
      "What goes",
      "Your profile, pictures, settings, keys and sign-ins.",
      "The list of everyone you follow."
    ])
  })

  it("One of each is said in the singular", () => {
    assert.deepStrictEqual(linesOf(1), [
      "What goes",
      "Your profile, pictures, settings, keys and sign-ins.",
      "1 post, with its pictures and files, except what was sold.",
      "The text of 1 comment, and your name on it.",
      "1 follower, and the list of everyone you follow.",
      "What stays",
      "1 buyer can still read what they bought, without your name.",
      "The record of the 1 XNO that you received, without your name.",
      "1 purchase of yours. Keep the private link, or the wallet that paid: you can then read what you bought.",
      "We still owe you 1 XNO. Wait until it's paid: afterwards we can't pay it."
    ])
  })

  it("Many of each are said in the plural", () => {
    assert.deepStrictEqual(linesOf(1200).slice(2), [
      "1,200 posts, with their pictures and files, except what was sold.",
      "The texts of 1,200 comments, and your name on them.",
      "1,200 followers, and the list of everyone you follow.",
      "What stays",
      "1,200 buyers can still read what they bought, without your name.",
      "The record of the 1200 XNO that you received, without your name.",
      "1,200 purchases of yours. Keep the private links, or the wallet that paid: you can then read what you bought.",
      "We still owe you 1200 XNO. Wait until it's paid: afterwards we can't pay it."
    ])
  })
})
