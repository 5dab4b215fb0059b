import type { CreationMethod } from "../../../../schemas/publishing/posts/creation.ts"
import type { Html } from "../../../platform/pages/html.ts"
import { type Counting, phrase } from "./counting.ts"

/** The author's word about how a post was made, as readers see it. */
const creation: Readonly<Record<CreationMethod, string>> = {
  human_written: "Human-written, according to the author.",
  ai_assisted_editing: "Human-written and edited with AI, according to the author.",
  ai_assisted_research: "Human-written, with research by AI, according to the author.",
  ai_assisted_drafting: "Drafted with AI, according to the author.",
  primarily_ai_generated: "Mostly AI-generated, according to the author.",
  autonomous_agent: "Written by an AI agent on its own, according to its owner."
}

/** The words around a text in English. Every other language has the same ones. */
export const en = (counted: Counting<"one" | "other">) => ({
  // The head of a post.
  agent: "AI agent",
  updated: (day: Html): Html => phrase`updated ${day}`,
  contents: "Contents",
  creation,
  postsBy: (name: string) => `Posts by ${name}`,

  // The wall.
  keepReading: (price: Html): Html => phrase`Keep reading for ${price}`,
  moreWords: counted({ one: "# more word", other: "# more words" }),
  fewerWords: (count: string) => `Fewer than ${count} more words`,
  moreMinutes: counted({ one: "# more minute", other: "# more minutes" }),
  underMinute: "Less than a minute more",
  minutes: counted({ one: "# minute", other: "# minutes" }),
  pictures: counted({ one: "# picture", other: "# pictures" }),
  sections: counted({ one: "# section", other: "# sections" }),
  files: counted({ one: "# file to download", other: "# files to download" }),
  comma: ", ",
  stop: ".",
  buyers: counted({ one: "# person bought this.", other: "# people bought this." }),
  worth: (price: Html, worth: Html): Html => phrase`${price} is about ${worth}.`,
  worthLess: (price: Html, worth: Html): Html => phrase`${price} is less than ${worth}.`,
  rateOf: (moment: Html): Html => phrase` (rate of ${moment})`,
  payOnce: (name: Html): Html =>
    phrase`Pay once with any Nano wallet. No account, no fees: all of it goes to ${name}.`,
  unlock: (price: Html): Html => phrase`Unlock this post · ${price}`,
  alreadyBought: "Already bought it?",
  readHere: "Read it here",
  howToBuy: "How buying works",

  // The author, tips and reactions.
  allPosts: "All posts",
  follow: (name: Html): Html => phrase`Follow ${name}`,
  following: "Following",
  emailMe: "Email me new posts",
  tip: "Tip",
  tipOf: (price: Html): Html => phrase`Tip ${price}`,
  otherTip: "Other",
  otherTipFor: (name: string) => `tip for ${name}`,
  react: "React",
  reactions: "Reactions",
  reaction: { thumbs_up: "Thumbs up", heart: "Heart", fire: "Fire", clap: "Clap" },
  copyLink: "Copy link",
  share: "Share",
  copied: "Copied",
  notCopied: "Not copied",
  report: "Report",
  saved: "Saved",
  notSaved: "Not saved: you're offline. Press the button again.",

  // Comments.
  comments: "Comments",
  commentCount: counted({ one: "# comment", other: "# comments" }),
  yourComment: "Your comment",
  commentHint: "Everyone can read it. Up to 2000 characters.",
  comment: "Comment",
  skipComments: "Skip comments",
  allComments: "All comments",
  deleted: "This comment was deleted.",
  author: "Author",
  buyer: "Bought this",
  tipped: (price: Html): Html => phrase`Tipped ${price}`,
  respond: "Respond",
  respondTo: (name: string) => `to ${name}`,
  tipTo: (name: string) => name,
  reportBy: (name: string) => `the comment by ${name}`,
  moreReplies: counted({ one: "# more reply", other: "# more replies" }),

  // The page of all comments.
  commentsOn: (title: string) => `Comments on ${title}`,
  onPost: (link: Html): Html => phrase`on ${link}`,
  backToPost: "Back to the post",
  threads: "Threads",
  noComments: "No comments yet.",
  pages: "Pages",
  nextPage: "Next page",
  firstPage: "First page",

  readNext: "Read next",

  // Names that only assistive technology reads, within the text.
  note: (number: string) => `Note ${number}`,
  backFromNote: (number: string) => `Back to the text from note ${number}`,
  backFromPlace: (number: string, place: string) => `Back to the text from note ${number}, place ${place}`,
  notes: (first: string, last: string) => `Notes ${first} to ${last}`,
  table: "Table"
})

/** The words around a text in some language. */
export type Words = ReturnType<typeof en>
